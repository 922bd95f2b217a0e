"""Write the reference pages of the command line, the settings and the REST API from the code.

`--check` writes nothing, and fails if a page is out of date.
"""

import sys
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from paddock.cli import built, load_all
from paddock.models import Resources
from paddock.server.api.app import bare_app
from paddock.settings import KubernetesSettings, Settings, SlurmSettings

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
MADE = "<!-- Made by `make docs`: do not edit. -->\n"


def main() -> int:
    pages = {"cli.md": command_line(), "settings.md": settings(), "rest.md": rest()}
    stale = [name for name, text in pages.items() if _read(FOLDER / name) != text]
    if "--check" in sys.argv:
        if stale:
            print(f"out of date: {', '.join(stale)}: run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(pages[name])
    return 0


def _read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


# --- the command line -----------------------------------------------------------------------------------------------


def command_line() -> str:
    group: Any = built()
    context = click.Context(group, info_name="paddock")
    parts = [MADE, "# Command line\n", _help(group), _options(group)]
    for name, command in load_all().items():
        inner = click.Context(command, info_name=name, parent=context)
        parts += [f"\n## paddock {name}\n", f"`{_usage(command, inner)}`\n", _help(command), _options(command)]
    return "\n".join(part.rstrip() + "\n" for part in parts if part)


def _usage(command: Any, context: Any) -> str:
    return " ".join([context.command_path, *command.collect_usage_pieces(context)])


def _help(command: Any) -> str:
    blocks = [(command.help or "").replace("\b", "").strip(), (command.epilog or "").strip()]
    return "\n\n".join(block for block in blocks if block)


def _options(command: Any) -> str:
    rows = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or parameter.name in ("help", "install_completion", "show_completion"):
            continue
        if parameter.param_type_name == "argument":
            name = (parameter.metavar or parameter.name).upper()
        else:
            name = ", ".join([*parameter.opts, *parameter.secondary_opts])
        rows.append(f"| `{name}` | {_cell(getattr(parameter, 'help', '') or '')} |")
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# --- settings ---------------------------------------------------------------------------------------------------------


def settings() -> str:
    intro = (
        "Settings stand in `settings.toml` in Paddock's home (`~/.paddock`, or `PADDOCK_HOME`, or `--home`); an\n"
        "environment variable overrides the file, a flag overrides both. `paddock settings` shows what is in force.\n\n"
        "```toml\nport = 54322\n\n[local]\nslots = 4\n\n[retries]\nlost = 2\n```\n\n"
        "| setting | environment | default | meaning |\n|---|---|---|---|"
    )
    backends = (
        "\n## Backends\n\n"
        "`[backends.NAME]` is one backend; its `kind` is `slurm` when not given. The only one of kind `local` is the\n"
        "server's own node, named `local`: `[backends.local]` is the same as `[local]`. A Slurm cluster has:\n\n"
        "| setting | environment | default | meaning |\n|---|---|---|---|"
    )
    clusters = _rows(SlurmSettings, "backends.NAME.")
    pods = '\nA Kubernetes cluster (`kind = "kubernetes"`) has:\n\n'
    pods += "| setting | environment | default | meaning |\n|---|---|---|---|"
    kubernetes = [pods, *_rows(KubernetesSettings, "backends.NAME.")]
    return "\n".join([MADE, "# Settings\n", intro, *_rows(Settings, ""), backends, *clusters, *kubernetes, ""])


def _rows(model: type[BaseModel], prefix: str) -> list[str]:
    rows = []
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind is not Resources:
            rows += _rows(kind, f"{prefix}{name}.")
            continue
        whole = prefix + name
        default = "" if field.default in (None, PydanticUndefined, Resources()) else f"`{field.default}`"
        variable = "PADDOCK_" + whole.upper().replace(".", "__")
        rows.append(f"| `{whole}` | `{variable}` | {default} | {_cell(field.description or '')} |")
    return rows


# --- REST ------------------------------------------------------------------------------------------------------------


def rest() -> str:
    document = bare_app().openapi()
    intro = (
        "Every request needs the token: `Authorization: Bearer TOKEN`. `/openapi.json` is the whole document with all\n"
        'types. Errors: `{"error": {"code", "message", "fields"}}` with a stable code.\n'
    )
    parts = [MADE, "# REST API\n", intro]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts += [f"\n## {method.upper()} {path}\n", _operation(operation)]
    return "\n".join(part.rstrip() + "\n" for part in parts if part)


def _operation(operation: dict[str, Any]) -> str:
    lines = [operation.get("description") or operation.get("summary", "") + ".", ""]
    body = operation.get("requestBody", {}).get("content", {})
    if body:
        lines += ["Body: " + ", ".join(f"{kind} ({_type(what.get('schema', {}))})" for kind, what in body.items()), ""]
    good: dict[str, Any] = next((r for status, r in operation["responses"].items() if status.startswith("2")), {})
    kinds = [f"{kind} ({_type(what.get('schema', {}))})" for kind, what in good.get("content", {}).items()]
    lines += [f"Answer: {', '.join(kinds) or 'nothing'}", ""]
    rows = [
        f"| `{p['name']}` | {p['in']} | {_type(p.get('schema', {}))} | {_cell(p.get('description', ''))} |"
        for p in operation.get("parameters", [])
    ]
    return "\n".join(lines + (["| parameter | in | type | meaning |", "|---|---|---|---|", *rows] if rows else []))


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    one_of = schema.get("anyOf") or schema.get("oneOf")
    if one_of:
        return " or ".join(_type(one) for one in one_of if one.get("type") != "null")
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return ", ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "any"))


if __name__ == "__main__":
    sys.exit(main())
