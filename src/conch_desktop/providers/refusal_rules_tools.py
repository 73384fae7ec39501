"""The rules for refusals over calls, the history, schemas and tools: the first half of `refusal_rules`."""

from __future__ import annotations

from conch_desktop.providers.refusal_phrases import (
    A_TOOL,
    AFTER_TOOLS,
    ALSO,
    BEFORE_TOOLS,
    COMBINED,
    COMPLAINT,
    DOES_NOT,
    FIELD,
    FILL,
    KEYWORD,
    NOT,
    NOUN,
    OTHERWISE,
    PARAMETERS,
    TAKEN,
    TOOLS,
    TURNED_DOWN,
    WHERE,
)
from conch_desktop.providers.refusal_rule import REQUEST, Rule

RULES: tuple[Rule, ...] = (
    # Pages come from a proxy, a gateway or a sign-in in between, not from the provider.
    Rule("auth", page=True, statuses=(401, 403)),
    Rule("network", page=True),
    #
    # A filter that says so outright: it may quote what it found.
    Rule(
        "content_policy",
        (r"^(?:code|type): (?:content_filter|content_policy_violation|responsibleaipolicyviolation)$",),
        "Azure and OpenAI, known",
    ),
    #
    # The model's own malformed call. Its words are those of a refused schema, so it comes first.
    Rule(
        "generation",
        (
            r"tool_use_failed|output_parse_failed|tool call validation failed|failed to call a function",
            r"attempted to call tool|called a (?:tool|function) that|expected schema for tool calls",
            r"generated output that could not be parsed|model output (?:could|can) not be parsed",
        ),
        "groq/groq-typescript #28; HunorLaczko/ha-groq-cloud-api #20; miurla/morphic #314",
    ),
    Rule(
        "generation",
        (
            r"error parsing tool call|no valid tool call|failed to parse input at pos",
            r"(?:failed|unable) to parse (?:the )?(?:model output|(?:tool|function) calls?)",
            r"(?:tool|function) calls? (?:parsing failed|could not be parsed|parse error)",
            r"(?:could not|can not|failed to|unable to) (?:be )?pars\w+[^\n]{0,80}\b(?:tool|function) call\b",
        ),
        "ollama/ollama #17638, #11704; ggml-org/llama.cpp #23838",
        unless="arguments as json|tool_call_id",
    ),
    Rule(
        "generation",
        (r"harmonyerror", r"unexpected tokens? \d", r"unexpected tokens remaining in message header"),
        "vLLM and Ollama on gpt-oss, known",
    ),
    Rule(
        "generation",
        (
            r"malformed_function_call|malformed (?:function|tool) call|unexpected_tool_call",
            r"model (?:has )?(?:produced|generated|returned|emitted|output) (?:an? )?(?:invalid|malformed|unparsable)",
        ),
        "NousResearch/hermes-agent PR #83886; Amazon Nova, known",
    ),
    Rule(
        "generation",
        (
            r"produced output that does not match the expected \S{1,40} format",
            r"invalid (?:function|tool)[ -]call(?:ing|s)? output",
            r"xml syntax error on line \d|expected element type <(?:function|parameter|tool)",
            r"validation errors? for list\[function-wrap",
        ),
        "ggml-org/llama.cpp #27025, #25072; SambaNova, known; ollama/ollama #12380, #16810 (Qwen writes calls as XML); "
        "continuedev/continue #10896; vllm-project/vllm #14429 (a forced call that is no JSON)",
    ),
    Rule(
        "generation",
        (
            (
                r"^(?:error|message): (?:eof while parsing|expected .{1,20} at line|key must be a string at line|"
                r"control char)"
            ),
        ),
        "huggingface/text-generation-inference #2240, #2310: a parser's bare words about what the model wrote",
    ),
    #
    # A server that was started without what tools need; `tools` and `tool_choice` alike.
    Rule(
        "tools",
        (r"requires? --jinja|tools?(?:_choice)? param is not fully supported",),
        "containers/ramalama #988; ikawrakow/ik_llama.cpp PR #677",
    ),
    Rule(
        "tools",
        (
            r"--enable-auto-tool-choice|--tool-call-parser|unsupported tool_call_parser",
            r"(?:requires?|has no|without|\bno) (?:an? )?tool[ _-]?(?:call[ _-]?)?parser",
        ),
        "ogx-ai/ogx #1185; sgl-project/sglang #9102",
    ),
    #
    # Cerebras names the form of the answer, which was not asked for, where the definition of a tool is meant.
    Rule(
        "schema",
        (
            r"unsupported json schema (?:field|keyword)s?\b",
            r"object fields require at least one of|^message: 'additionalproperties' is required to be supplied",
        ),
        "musistudio/claude-code-router #338, #708; aj47/SpeakMCP PR #352; agno-agi/agno PR #6014",
        statuses=REQUEST,
    ),
    #
    # The form of an answer that was asked for is no tool.
    Rule(
        "bad_request",
        (r"response_format|text\.format|response_?schema|responsejsonschema|structured[ _]outputs?|guided_",),
        "reVrost/go-openrouter PR #21; rest known",
        statuses=REQUEST,
    ),
    #
    # History, ids, names and switches: a fault of the request that says nothing of tools or schemas.
    Rule(
        "bad_request",
        (
            r"thought_?signature|reasoning_content|reasoning details|reasoning'? items?|encrypted_content",
            r"\.thinking in the thinking mode|thinking'? blocks?|redacted_thinking",
        ),
        "ServiceNow/eva PR #206; the-open-agent/openagent #2206; LibreChat-AI/agents #37",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (
            r"tool[_ ]?call_ids?\b|\btool_use_id|\bcall_id\b|tool[_ ]id\b|tool call ids? ",
            r"'tool_(?:use|result)'|\btool_(?:use|result)s? (?:ids?|blocks?)|tool result'?s?\b|tool_results?\b",
            r"toolresult",
        ),
        "QwenLM/qwen-code #656; MiniMax-AI/MiniMax-M2 #76; cohere-ai/cohere-python #525; langgenius/dify #16421",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (r"function[_ ]?response|function[_ ]call turn|functioncall parts",),
        "openclaw/openclaw #47857; vectorize-io/hindsight PR #187",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (
            r"\b(?:messages?|contents|history|input)\b(?:[.\[]| ?-> ?)\[?\d|chatrequest\.messages",
            r"failed to parse messages",
            r"\bmessages\b\W{1,3}\w{0,12}\W{0,3}\btool_calls",
        ),
        "aliasrobotics/cai #76; Alishahryar1/free-claude-code #1136",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (
            r"\broles? (?:must|should|need|'|is|are|after|to)|roles must alternate|raise_exception|no user query",
            (
                r"(?:expected|unexpected|invalid|unknown|last|first|final|incorrect) (?:message )?(?:last )?(?:role|"
                r"assistant)"
            ),
            r"(?:last|first|preceding|preceeding) message|message must have|consecutive|followed by (?:a )?tool",
            r"user turn",
            r"(?:content|blocks?|message|text) (?:fields? )?(?:can not|must not|must) be (?:non-)?empty",
            r"content element",
            r"prefill",
        ),
        "idiap/sdialog #122; serac-labs/serac #53; charmbracelet/crush #964; BerriAI/litellm #6323",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (
            r"function\.?arguments|(?:tool|function)[ _]?call(?:s|'s)?[ _](?:function )?arguments|arguments as json",
            r"arguments to a tool_call|invalid function arguments",
        ),
        "explyt/explyt #23; spiceai/spiceai #4734; HKUDS/nanobot #2373",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (
            r"(?:tool|function|function_?declarations?|custom)'?(?:\[?\d*\]?[._]?(?:function[._])?| )'?names?\b",
            r"declarations?\[\d+\]\.name|tool (?:with )?name",
            r"duplicated? (?:tool|function)|(?:tools?|functions?) (?:\S+ )?(?:is|are) duplicated",
        ),
        "kaitranntt/ccs #25; anthropics/claude-code #1405; rest known",
        statuses=REQUEST,
        unless=r"can not find field|input_schema|parameters|schema",
    ),
    Rule(
        "bad_request",
        (
            r"'?tools'?: array too long|too many (?:tools|functions|function declarations)",
            r"(?:maximum|max|limit)(?: number)? of (?:\d+ )?(?:tools|functions|function)",
            r"(?:at most|more than|up to|exceeds?|only) \d+ (?:tools|functions)",
            r"number of (?:tools|functions|function declarations)",
        ),
        "known",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (
            r"'?(?:tools|functions)'?(?: list| array)?:? (?:can not|must not|should not|may not) be (?:an )?empty",
            r"'?tools'?: empty array|empty tools|'?tools'? is empty|too short - 'tools'",
            r"toolconfig field must be defined",
            r"tools (?:are|is) required|requires? (?:at least one tool|tools to be)",
            r"tools must be (?:set|provided|defined)",
        ),
        "langgenius/dify #16421; rest known",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (r"parallel_?tool_?(?:calls?|use)", r"\bstrict'?\b|'strict|function\.strict"),
        "evalstate/fast-agent #279; RooCodeInc/Roo-Code #10334; OpenRouterTeam/openrouter-examples #71",
        statuses=REQUEST,
        unless=r"in context=|invalid schema|additionalproperties|json schema is invalid|compiled grammar",
    ),
    Rule(
        "bad_request",
        (
            r"custom grammar constraints|failed to parse tools:|tools\S{0,8}: missing field|invalid tool type",
            (
                r"tools?\S{0,8}[.']\s?'?(?:function\.)?(?:type|description|function)'?:? ?.{0,12}(?:missing|required|"
                r"not found|none|null)"
            ),
        ),
        "Tracer-Cloud/opensre #3129; lemonade-sdk/lemonade #540; decolua/9router #2509; hinthornw/trustcall #19",
        statuses=REQUEST,
        unless=r"\.parameters\b",
    ),
    #
    # Schema words before tools words: both say "not supported", and only one costs a model its native tools.
    Rule(
        "schema",
        (r"invalid_function_parameters|unsupported_keyword|invalid_tool_schema",),
        "OpenAI, known; anomalyco/opencode #43371",
        statuses=REQUEST,
    ),
    Rule(
        "schema",
        (
            rf"{A_TOOL}[^\n ]{{0,60}}{PARAMETERS}",
            rf"{PARAMETERS}\W{{0,3}}(?:schema|properties|type)|\binput_?schema\b",
        ),
        "directus/directus #27100; anthropics/claude-code #27337; aws/aws-sdk-net #3377",
        statuses=REQUEST,
    ),
    Rule(
        "schema",
        (
            r"function_?declarations?\b(?:\[|\S{0,40} |[^\n]{0,80}schema)",
            r"tools?\[\d+\]\S{0,80}(?:properties|\.items|any_of)",
        ),
        "google-gemini/gemini-cli #2282; glowingjade/obsidian-smart-composer #455",
        statuses=REQUEST,
        unless=COMBINED,
    ),
    Rule(
        "schema",
        (
            r"go struct field \S{0,80}tools?\.\S{0,40}(?:parameters|properties)|<index \$prop",
            r"template: [^\n]{0,80}(?:\$?prop|tools?|function|parameters|type)\b[^\n]{0,60}error calling",
        ),
        "ollama/ollama #10328, #14256, #11800",
        statuses=REQUEST,
    ),
    Rule(
        "schema",
        (
            r"flavored json schema|json schema error at|schema conversion failed|unrecogni[sz]ed schema",
            (
                r"(?:failed|unable) to (?:parse|compile|convert|build|process|validate|initialize|generate) (?:the |a "
                r")?(?:json |tool |function |input )?(?:schema|grammar)"
            ),
            r"(?:invalid|unsupported|bad) grammar|grammar'? (?:error|is not|is too|parse|compil\w+)",
            r"error parsing grammar",
            r"too many states for serving|schema (?:exceeds|is too)",
        ),
        "MoonshotAI/kimi-cli #2531; ggml-org/llama.cpp #25895, #11866; vllm-project/vllm #16321; rest known",
        statuses=REQUEST,
    ),
    Rule(
        "schema",
        (
            r"\b(?:tool|function|parameter)\w*\b[^\n]{0,120}\bschemas?\b",
            r"\bschemas?\b[^\n]{0,120}\b(?:tool|function|parameter)\w*\b",
            r"(?:invalid|unsupported|malformed) (?:\w+ ){0,2}schema|\b(?:object|array) schema|schemaerror",
            r"given schemas",
            rf"json ?schema[^\n]{{0,80}}{COMPLAINT}|{COMPLAINT}[^\n]{{0,40}}json ?schema",
            r"schema (?:missing|did not|must|should)",
        ),
        "UKGovernmentBEIS/inspect_ai PR #1290; MarkusPfundstein/mcp-gsuite #19; sgl-project/sglang #35242; "
        "nicobailon/pi-subagents PR #248; diegosouzapw/OmniRoute PR #3360",
        statuses=REQUEST,
        unless=r"for the json field|(?:api|request|body) schema",
    ),
    Rule(
        "schema",
        (
            rf"{KEYWORD}[^\n]{{0,80}}{COMPLAINT}|{COMPLAINT}[^\n]{{0,60}}{KEYWORD}",
            r"metaschema|unimplemented keys|conflict in schema|jsonschema: ",
            r"property (?:keys|names) (?:must|should) match",
            r"schema 不|不支持 ?(?:anyof|oneof|allof)|参数.{0,8}schema",
        ),
        "zed-industries/zed #44875; llm-d/llm-d-inference-sim PR #609; anthropics/claude-code #4668",
        statuses=REQUEST,
        unless=r"at '/' not met|for the json field|tool_choice|tool_type",
    ),
    Rule(
        "schema",
        (
            (
                r"\b(?:tool|function)s?\b[^\n]{0,60}\b(?:input |argument )?parameters?\b[^\n]{0,60}(?:empty|must be|"
                r"should be|invalid|not valid|missing|required|malformed|not an object|is not of type)"
            ),
            r"(?:invalid|missing|malformed) (?:tool|function) parameters?",
        ),
        "QwenLM/qwen-code #11834; rest known",
        statuses=REQUEST,
        unless=rf"tool_choice|unsupported|not support|{COMBINED}",
    ),
    Rule(
        "schema",
        (r"rendering prompt with jinja template|automatic parser generation failed",),
        "lmstudio-ai/lmstudio-bug-tracker #2012, #2180; noonghunna/club-3090 #1250: a template that stumbles over the "
        "definition of a tool",
        statuses=REQUEST,
        unless=r"raise|roles? |only user|system message",
    ),
    #
    # Tools that are refused only beside something else, and something else that is refused beside tools.
    Rule(
        "bad_request",
        (
            rf"\b(?:tools?|functions?)\b[^\n]{{0,80}}\b{COMBINED}",
            rf"\b{COMBINED}[^\n]{{0,60}}\b(?:tools?|functions?)\b",
            (
                rf"{NOT} {TAKEN} (?:with|when|while|in|alongside|beside)(?: using| you use)? (?:the )?'?(?:tools?|"
                rf"functions?)\b"
            ),
        ),
        "googleapis/go-genai #323; lbjlaq/Antigravity-Manager #2241",
        statuses=REQUEST,
    ),
    #
    # Tools.
    Rule(
        "tools",
        (rf"{BEFORE_TOOLS}\b{TOOLS}{NOUN}{AFTER_TOOLS}{ALSO}{WHERE}'?[ ,:]{{1,2}}{TURNED_DOWN}",),
        "sbintuitions/flexeval PR #242; agno-agi/agno #3505; truefoundry/models PR #944; MicrosoftDocs/azure-docs "
        "#121504; hotovo/aider-desk #86",
        unless=rf"{OTHERWISE}|same name|(?:of|with) type|batch mode",
        statuses=REQUEST,
    ),
    Rule(
        "tools",
        (
            rf"{DOES_NOT} {FILL}{TOOLS}{AFTER_TOOLS}",
            rf"models? must support {FILL}{TOOLS}{AFTER_TOOLS}",
            rf"{BEFORE_TOOLS}\b{TOOLS}{NOUN} (?:is|are) only (?:supported|available|enabled|allowed) (?:for|on|by)\b",
        ),
        "kenlasko/monize PR #405; evalstate/fast-agent #91; google/adk-python #952; BerriAI/litellm #10124",
        unless=OTHERWISE,
        statuses=REQUEST,
    ),
    Rule(
        "tools",
        (
            (
                rf"(?:unsupported|unknown|unrecogni[sz]ed|unexpected|extra|additional|invalid|disallowed|not permitted|"
                rf"not allowed|forbidden)(?: \w+){{0,2}} {FIELD}(?:\(s\))?(?: (?:supplied|provided|given|specified|"
                r"found|name|request|body))?:? ?(?:'?[a-z_]+'?, ?){0,4}['\[(]{0,2}"
                r"(?:tools|functions)\b(?!'?(?:[\[_]|\.\w))"
            ),
        ),
        "ggml-org/llama.cpp #10920; QwenLM/Qwen3 #822; seratch/ChatGPT-in-Slack PR #49",
        statuses=REQUEST,
    ),
    Rule(
        "tools",
        (
            r"(?:^|[ .'>(])'?tools'?\W{1,4}(?:extra (?:inputs|fields) (?:are )?not permitted|unknown field)",
            r"^param: (?:tools|functions)$(?=[\s\S]{0,200}unsupported_)",
        ),
        "known",
        statuses=REQUEST,
    ),
    Rule(
        "tools",
        (
            (
                rf"(?:endpoints?|providers?|models?|deployments?) (?:were )?(?:found |available )?(?:that |which "
                rf")(?:can )?(?:supports?|accepts?|handles?) {FILL}{TOOLS}{AFTER_TOOLS}"
            ),
        ),
        "evalstate/fast-agent #122; Kilo-Org/kilocode #9006",
        unless=r"please use|choose|switch to|instead",
        statuses=REQUEST,
    ),
    Rule(
        "tools",
        (
            r"\bnot (?:an? )?(?:tool|function)[ -](?:use|calling|call|capable|enabled)\b",
            (
                r"(?:lacks?|without|has no|\bno) (?:native |built-in )?(?:tool|function)s?[ -](?:use |usage |calling |"
                r"call )?(?:support|capab\w+)\b"
            ),
        ),
        "known",
        unless=OTHERWISE,
        statuses=REQUEST,
    ),
    Rule(
        "tools",
        (
            r"不支持[^\n]{0,12}(?:工具|函数|function|tool)",
            r"(?:工具|函数)(?:调用|呼叫)?[^\n]{0,8}(?:不支持|不可用|未启用|未开启)",
        ),
        "known",
        unless="tool_choice|并行|选择",
        statuses=REQUEST,
    ),
    Rule(
        "bad_request",
        (r"\btool_?choice|\btool choice|function_call\b|toolconfig",),
        "zed-industries/zed #36094; deepseek-ai/DeepSeek-V3 #1376",
        statuses=REQUEST,
    ),
)
