"""Gene sets in the GMT format: one per line, its id, a description and its genes, all with tabs."""

from __future__ import annotations

from graphol.door import FilePath, check_objects, reader
from graphol.errors import InputError, shown
from graphol.formats.opening import read_text


@reader
def read_gmt(path: FilePath) -> dict[str, tuple[str, ...]]:
    """The genes of every set, by the set's id; a file that ends in ``.gz`` is unpacked.

    Blank lines are skipped, and a gene that a line repeats counts once. A line without genes and
    an id that is there twice are refused.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "sets.gmt")
    >>> _ = file.write_text("cycle\\tcell cycle\\tCDK1\\tCCNB1\\nrepair\\t\\tBRCA1\\n")
    >>> read_gmt(file)
    {'cycle': ('CDK1', 'CCNB1'), 'repair': ('BRCA1',)}
    >>> folder.cleanup()
    """
    sets: dict[str, tuple[str, ...]] = {}
    lines: dict[str, int] = {}
    content = read_text(path)
    check_objects(path, 60 * (content.count("\t") + content.count("\n")))
    for line, text in enumerate(content.splitlines(), start=1):
        if not text.strip():
            continue
        name, *rest = (field.strip() for field in text.split("\t"))
        genes = tuple(dict.fromkeys(gene for gene in rest[1:] if gene))
        if not name or not genes:
            raise InputError(
                f"{path} line {line}: a gene set is an id, a description and at least one gene, "
                "with tabs between"
            )
        if name in sets:
            raise InputError(
                f"{path} line {line}: gene set {shown(name)} is there already on line {lines[name]}"
            )
        sets[name], lines[name] = genes, line
    if not sets:
        raise InputError(f"{path} is empty; it needs a gene set per line")
    return sets
