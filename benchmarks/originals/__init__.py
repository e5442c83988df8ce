"""What the benchmarks' own programs do, written anew from descriptions: rules that are not ours, to judge ours.

``thor_env`` is ALFRED's environment; ``connectors`` (EmbodiedBench's and LoTa-Bench's) and ``lota_bench`` stand on it.
``wrapper`` and ``edh_rules`` are TEACh's, ``walks`` are shortest paths for ObjectNav. Tests import them as well.
"""
