"""The pages of the settings, in their order. The code of a page is imported when the settings are first opened."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from conch_desktop.desktop.settings_section import Section


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `about` says what is on it, `also` are further words it is found by; `code` is "module:Section"."""

    name: str
    icon: str
    about: str
    also: str
    code: str

    def section(self) -> type[Section]:
        """What fills the page."""
        module, _, name = self.code.partition(":")
        return cast("type[Section]", getattr(import_module(f"conch_desktop.desktop.{module}"), name))


PAGES: tuple[Page, ...] = (
    Page(
        "General",
        "settings",
        "new chats, sending, limits",
        "default model start enter send key steps calls limit cost dollars day apps launch",
        "settings_general:GeneralSection",
    ),
    Page(
        "Appearance",
        "light",
        "theme, contrast and text",
        "theme dark contrast text size zoom font",
        "settings_look:LookSection",
    ),
    Page(
        "Providers",
        "cloud",
        "services, servers and keys",
        "services servers keys address",
        "settings_providers:ProvidersSection",
    ),
    Page(
        "Models",
        "lesson",
        "what was checked and learnt",
        "lessons learnt taught check forget",
        "settings_models:ModelsSection",
    ),
    Page(
        "Tools",
        "tool",
        "what models can do",
        "own tools groups switch on off memory files browser remember read write",
        "settings_tools:ToolsSection",
    ),
    Page(
        "Apps",
        "app",
        "apps through MCP",
        "integrations mcp servers tools plugins import claude restart log sign in",
        "settings_integrations:IntegrationsSection",
    ),
    Page(
        "Files",
        "folder",
        "the folders models may use",
        "folders grant revoke read write edit",
        "settings_files:FilesSection",
    ),
    Page(
        "Memory",
        "memory",
        "what is remembered",
        "facts remember forget export switch off",
        "settings_memory:MemorySection",
    ),
    Page(
        "Permissions",
        "guard",
        "what may run without asking",
        "allow always ask chat revoke",
        "settings_permissions:PermissionsSection",
    ),
    Page(
        "Keyboard",
        "keyboard",
        "every shortcut",
        "keys shortcuts hotkeys F1",
        "settings_keys:KeyboardSection",
    ),
    Page(
        "Chats and data",
        "folder",
        "where it lies, export, import, delete",
        "chats data profile folder database backup export import delete all integrity check size json privacy",
        "settings_data:DataSection",
    ),
    Page(
        "About",
        "info",
        "version and licences",
        "version licence python qt report copyright packages",
        "settings_about:AboutSection",
    ),
)
