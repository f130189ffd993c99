/** The interpreter of the attack programs: the system's own, since `/usr` is in every sandbox. */
export const PYTHON = '/usr/bin/python3';

const prelude = `
import ctypes, errno, json, os, signal, socket, struct, sys, threading, time

def say(name, value=True):
    os.write(1, (json.dumps({name: value}) + "\\n").encode())

def attempt(function, *arguments):
    try:
        result = function(*arguments)
        return "ok" if result is None or not isinstance(result, (int, str)) else "ok:%s" % result
    except OSError as problem:
        return errno.errorcode.get(problem.errno, repr(problem))

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

def call(number, *arguments):
    passed = [a if isinstance(a, bytes) or a is None or hasattr(a, "_type_") or hasattr(a, "_obj") else ctypes.c_long(a) for a in arguments]
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *passed)
    return "ok:%d" % result if result >= 0 else errno.errorcode.get(ctypes.get_errno(), str(ctypes.get_errno()))

def state(pid):
    with open("/proc/%d/stat" % pid) as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]

def until(condition, seconds=5):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
`;

/**
 * A Python attack program as an argv. `say(name, value)` reports a fact, `attempt(f)` gives `ok` or the errno's
 * name, `call(number, ...)` makes a raw system call.
 */
export function python(code: string): [string, ...string[]] {
  return [PYTHON, '-c', `${prelude}\n${code}`];
}
