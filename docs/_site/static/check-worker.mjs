// Runs Python in a thread of its own: the checker on a certificate, as a shell would, or a counterexample's program.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const RUN = `
import contextlib, io, runpy, sys, traceback

def run(arguments):
    """The exit code of a program that is run by itself, and what it prints."""
    said, sys.argv = io.StringIO(), list(arguments)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
            code = 0
        except SystemExit as ended:
            code = ended.code
            if isinstance(code, str):
                print(code)
        except BaseException:
            traceback.print_exc()
            code = 1
    return int(bool(code)), said.getvalue()
run
`;
const loaded = (async () => {
  const python = await loadPyodide();
  const answer = await fetch(new URL("../certificates/scanproof_checker.pyz", import.meta.url));
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.statusText}`);
  python.FS.writeFile("scanproof_checker.pyz", new Uint8Array(await answer.arrayBuffer()));
  return { python, run: python.runPython(RUN) };
})();

self.onmessage = async ({ data: { name, text } }) => {
  try {
    const { python, run } = await loaded;
    self.postMessage({ name, running: true });
    python.FS.writeFile(name, text);
    const started = performance.now();
    const [code, said] = run(name.endsWith(".py") ? [name] : ["scanproof_checker.pyz", name]).toJs();
    self.postMessage({ name, code, said, seconds: (performance.now() - started) / 1000 });
  } catch (error) {
    self.postMessage({ name, stopped: `It could not be run: ${error.message}` });
  }
};
