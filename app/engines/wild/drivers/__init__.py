"""One small file an engine: how it is asked for texts, by itself and with speculation.

These files run in the engines' own environments, by their interpreters, and import nothing of
this project. Each function is one path: it takes a prompt's tokens, the settings and a list of
seeds, and gives the list of texts. `ready` is told where the models lie. `engines.foreign` calls
them.
Begin with `mlx_lm_paths.py`, the shortest, or `llama_cpp.py`, which talks to a server.
"""
