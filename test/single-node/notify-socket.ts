/** The socket on which systemd hears from services. Python opens it, because Node has no Unix datagram sockets. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openFolder } from '../support/folder.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'

/** Prints every datagram as a line of JSON. Descriptors that come along are closed, as systemd does at a barrier. */
const RECEIVER = `
import json, os, socket, sys
listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listening.bind(sys.argv[1])
print('"listening"', flush=True)
while True:
    data, descriptors, _, _ = socket.recv_fds(listening, 4096, 4)
    for descriptor in descriptors: os.close(descriptor)
    print(json.dumps(data.decode()), flush=True)
`

export type NotifySocket = AsyncDisposable &
  Readonly<{
    path: string
    /** The assignments of all notifications so far, such as `READY=1`. */
    heard: () => readonly string[]
  }>

export async function openNotifySocket(python: string): Promise<NotifySocket> {
  const folder = await openFolder()
  const path = join(folder.path, 'notify')
  const child = spawn(python, ['-c', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(...JSON.parse(line).split('\n')))
  await until('the socket to open', () => lines.length > 0, { withinMs: START_WITHIN_MS })
  return {
    path,
    heard: () => lines.slice(1),
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', kill)
      const ended = once(child, 'exit')
      kill()
      await ended
      await folder[Symbol.asyncDispose]()
    },
  }
}
