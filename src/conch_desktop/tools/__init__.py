"""The program's own tools, the toolbox that holds them, and the guard."""
