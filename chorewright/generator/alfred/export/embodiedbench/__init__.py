"""Episodes as EmbodiedBench's household tasks: its dataset's form, and an expert that speaks its skills."""

from chorewright.generator.alfred.export.embodiedbench.exporter import EmbodiedBenchExporter

__all__ = ["EmbodiedBenchExporter"]
