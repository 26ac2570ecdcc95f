"""From traces to tables and curves."""
