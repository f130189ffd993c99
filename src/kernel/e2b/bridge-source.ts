/** Of the data that the bridge sends along with an output. */
export const bridgeMime = 'application/vnd.assay.bridge+json';

/** Stands between the frames of a traceback, which the service joins with nothing. */
export const frameMark = '\x1e';

/**
 * Runs inside an IPython kernel of the service and sends along what the service drops: text that it would strip of its
 * quotes, metadata, display ids, updates and clears, the borders of traceback frames, and a mark that the cell has
 * ended. Takes away the service's own forms of lists, data frames and figures, which are unbounded.
 */
export const bridgeSource = `
import os, sys, types

def install(folder):
    from IPython import get_ipython
    ip = get_ipython()
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    bridge = types.ModuleType('_assay_bridge')
    pub, hook = ip.display_pub, ip.displayhook
    publish, write = pub.publish, hook.write_format_data
    show = ip._showtraceback

    def note(data, metadata, **more):
        text = data.get('text/plain')
        if isinstance(text, str) and text[:1] in ("'", '"') and text[:1] == text[-1:]:
            more['text'] = text
        if metadata:
            more['metadata'] = metadata
        return {**data, '${bridgeMime}': more}

    def bridged_publish(data, metadata=None, *args, transient=None, update=False, **kwargs):
        more = {}
        display_id = (transient or {}).get('display_id')
        if display_id is not None:
            more['displayId'] = str(display_id)
        if update:
            more['update'] = True
        return publish(note(data, metadata, **more), metadata, *args, transient=transient, **kwargs)

    def bridged_write(format_dict, md_dict=None, *args, **kwargs):
        more = {} if ip.__dict__.get('_assay_quiet') else {'count': hook.prompt_count}
        return write(note(format_dict, md_dict, **more), md_dict, *args, **kwargs)

    def clear_output(wait=False):
        publish({'${bridgeMime}': {'clear': True, 'wait': bool(wait)}}, {})

    def show_traceback(etype, evalue, stb):
        return show(etype, evalue, [str(frame) + '\\x1e' for frame in stb])

    def forget():
        # The service counts every cell; those of the bridge shall leave no trace.
        ip.execution_count -= 1
        for past in (ip.history_manager.input_hist_parsed, ip.history_manager.input_hist_raw):
            if len(past) > 1:
                past.pop()

    def quiet(code):
        forget()
        ip.__dict__['_assay_quiet'] = True
        try:
            ip.run_cell(code, store_history=False, silent=False)
        finally:
            ip.__dict__['_assay_quiet'] = False

    def ended(*_):
        publish({'${bridgeMime}': {'end': True}}, {})

    pub.publish, pub.clear_output, hook.write_format_data = bridged_publish, clear_output, bridged_write
    ip._showtraceback = show_traceback
    ip.history_manager.enabled = False
    ip.events.register('post_run_cell', ended)
    formatters = ip.display_formatter.formatters
    for name in ('e2b/data', 'e2b/chart'):
        formatters.pop(name, None)
    if type(formatters.get('application/json')).__name__ == 'E2BJSONFormatter':
        from IPython.core.formatters import JSONFormatter
        formatters['application/json'] = JSONFormatter(parent=ip.display_formatter)
    bridge.quiet = quiet
    bridge.forget = forget
    bridge.publish = publish
    sys.modules['_assay_bridge'] = bridge

def hello():
    import getpass, platform, ipykernel
    sys.modules['_assay_bridge'].publish({'${bridgeMime}': {'hello': {
        'pid': os.getpid(),
        'user': getpass.getuser(),
        'languageVersion': platform.python_version(),
        'implementation': 'ipykernel ' + ipykernel.__version__,
    }}}, {})

if '_assay_bridge' not in sys.modules:
    install(folder)
else:
    os.chdir(folder)
sys.modules['_assay_bridge'].forget()
hello()
`;

/** One cell that lays the bridge and goes to the working folder; it leaves no name behind. */
export function bridgeCell(folder: string): string {
  return `exec(${pythonText(bridgeSource)}, {"folder": ${pythonText(folder)}})`;
}

/** A cell that is kept out of the history and of the count. */
export function quietCell(code: string): string {
  return `__import__("_assay_bridge").quiet(${pythonText(code)})`;
}

/** A Python literal of the same characters: JSON's, but for the halves of characters that it names apart. */
function pythonText(text: string): string {
  const ascii = [...text].map((character) => {
    const point = character.codePointAt(0) ?? 0;
    if (character === '\\' || character === '"') return `\\${character}`;
    if (point >= 0x20 && point < 0x7f) return character;
    return `\\U${point.toString(16).padStart(8, '0')}`;
  });
  return `"${ascii.join('')}"`;
}
