"""`scanproof completion`: a script with which a shell completes commands, options, their values, ids and files.

What may follow an option is what its placeholder in the help says: `a|b` is one of these words, FILE and DIR are paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import typer

SHELLS = ("bash", "zsh", "fish")
PATHS = ("FILE", "DIR", "PATH", "TARGET")
"""Placeholders that hold one of these words stand for paths, too."""

BASH = """\
_scanproof_claims() {{ # ids of the claims that a file of yours defines; it is not run
  tr '\\n' ' ' 2>/dev/null < "$1" | grep -oE '\\.(claim|law|unchecked)\\( *.[^,)]+' | sed 's/^[^(]*( *.//; s/.$//'
}}
_scanproof() {{
  local command=${{COMP_WORDS[1]}} current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local words= files= IFS=$'\\n'
  [ "$current" = = ] && current=
  [ "$previous" = = ] && previous=${{COMP_WORDS[COMP_CWORD-2]}}
  local ids='{ids}' own= word
  for word in "${{COMP_WORDS[@]:2}}"; do
    case "$word" in *.py) own+=$(_scanproof_claims "$word")$IFS ;; esac
  done
  [ -n "${{own//$IFS/}}" ] && ids=$own
  local rows='{rows}'
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{commands}'
  else
    case "$command $previous" in
{values}
    *)
      case "$command $current" in
{options}
{arguments}
      esac
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ]; then
    COMPREPLY+=($(compgen -f -- "$current"))
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _scanproof scanproof
"""
ZSH = """\
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
"""
"""zsh runs the function that bash runs."""


class Values(NamedTuple):
    """What may stand at a place of the command line."""

    words: tuple[str, ...]
    paths: bool
    ids: bool
    rows: bool


def completion(
    context: typer.Context,
    shell: Annotated[str, typer.Argument(metavar="|".join(SHELLS), hidden=True)],
) -> None:
    """Print a script with which your shell completes commands.

    Commands, options, their values, ids of claims and files are completed.

    \b
    bash   scanproof completion bash > FILE, and in ~/.bashrc: source FILE
    zsh    scanproof completion zsh > FILE, and in ~/.zshrc: source FILE
    fish   scanproof completion fish > ~/.config/fish/completions/scanproof.fish
    """
    from scanproof.constructs.errors import UsageError, nearest
    from scanproof.proofs.decide.ledger import built_in
    from scanproof.proofs.expected.rows import ROWS

    from ._output import write

    if shell not in SHELLS:
        near = nearest(shell, SHELLS)
        raise UsageError(f"completion {shell}: no such shell{near}; allowed: {', '.join(SHELLS)}.")
    commands = dict(context.find_root().command.commands)  # type: ignore[attr-defined]
    ids = [claim.id for row in built_in().rows for claim in (row.claim, *row.amendments)]
    if shell == "fish":
        write("".join(f"{line}\n" for line in _fish(commands, ids, list(ROWS))))
    else:
        write((ZSH if shell == "zsh" else "") + _bash(commands, ids, list(ROWS)))


def _options(command: Any) -> list[Any]:
    """A command's options that its help shows, but for --help, which comes last there."""
    return [p for p in command.params if p.param_type_name == "option" and not p.hidden]


def _argument(command: Any) -> Values:
    given = [p for p in command.params if p.param_type_name == "argument"]
    return _values(given[0].metavar if given else None)


def _values(placeholder: str | None) -> Values:
    text = placeholder or ""
    words = tuple(text.split("|")) if "|" in text else ()
    paths = "=" not in text and any(word in text for word in PATHS)
    return Values(words, paths, "ID" in text or "TARGET" in text, "ROW" in text)


def _bash(commands: dict[str, Any], ids: list[str], rows: list[str]) -> str:
    values, options, arguments = [], [], []
    for name, command in commands.items():
        for option in _options(command):
            if not option.is_flag:
                places = "|".join(f"'{name} {each}'" for each in option.opts)
                values.append(f"    {places}) {_assigned(_values(option.metavar))} ;;")
        offered = [each for option in _options(command) for each in option.opts]
        options.append(f"      '{name} -'*) words='{_lines([*offered, '--help'])}' ;;")
        arguments.append(f"      '{name} '*) {_assigned(_argument(command))} ;;")
    return BASH.format(
        ids=_lines(ids),
        rows=_lines(rows),
        commands=_lines([*commands, "--help", "--version"]),
        values="\n".join(values),
        options="\n".join(options),
        arguments="\n".join(arguments),
    )


def _assigned(values: Values) -> str:
    """What bash assigns for a place: words to choose from, and whether there may be files."""
    said = [f"words='{_lines(values.words)}'"] if values.words else []
    said += ["words=$ids"] * values.ids + ["words=$rows"] * values.rows
    return " ".join([*said, *["files=1"] * values.paths]) or ":"


def _lines(words: Any) -> str:
    return "\n".join(words)


def _fish(commands: dict[str, Any], ids: list[str], rows: list[str]) -> Iterator[str]:
    yield f"set -g __scanproof_ids {' '.join(ids)}"
    yield f"set -g __scanproof_rows {' '.join(rows)}"
    yield "complete -c scanproof -f"
    for name, command in commands.items():
        said = _quoted(command.get_short_help_str(100))
        yield f"complete -c scanproof -n __fish_use_subcommand -a {name} -d {said}"
    for name, command in commands.items():
        at = f"complete -c scanproof -n '__fish_seen_subcommand_from {name}'"
        for option in _options(command):
            long = option.opts[0].removeprefix("--")
            values = _values(option.metavar)
            takes = "" if option.is_flag else " -rF" if values.paths else " -x"
            takes += f" -a {_quoted(' '.join(values.words))}" * bool(values.words)
            yield f"{at} -l {long}{takes} -d {_quoted(option.help or '')}"
        values = _argument(command)
        words = [
            *values.words,
            *["$__scanproof_ids"] * values.ids,
            *["$__scanproof_rows"] * values.rows,
        ]
        yield from [f"{at} -a {_quoted(' '.join(words))}"] * bool(words)
        yield from [f"{at} -F"] * values.paths


def _quoted(text: str) -> str:
    """The text for fish, in which only these two are special between single quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
