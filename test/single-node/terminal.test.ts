/** `pombo init` at a real terminal: a pseudo-terminal that Python opens and types into. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify, stripVTControlCharacters } from 'node:util'
import { parseEnvText } from '../../src/cli/init-files.ts'
import { ROOT } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { skipUnavailable } from '../support/skip.ts'
import { findProgram, missingPrograms } from './programs.ts'

/** Types one line at every prompt, and prints what the terminal shows. */
const TYPIST = `
import json, os, pty, re, sys
lines = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[2], sys.argv[2:])
shown, answered = b'', 0
while True:
    try: data = os.read(terminal, 4096)
    except OSError: break
    if not data: break
    shown += data
    if lines and re.sub(rb'\\x1b\\[[0-9;]*[A-Za-z]', b'', shown[answered:]).endswith(b'> '):
        answered = len(shown)
        os.write(terminal, lines.pop(0).encode())
_, status = os.waitpid(pid, 0)
print(json.dumps({'shown': shown.decode(), 'code': os.waitstatus_to_exitcode(status)}))
`

const type = async (lines: readonly string[], args: readonly string[]): Promise<{ shown: string; code: number }> => {
  const argv = ['-c', TYPIST, JSON.stringify(lines), process.execPath, join(ROOT, 'src/main.ts'), ...args]
  const { stdout } = await promisify(execFile)(findProgram('python3') ?? '', argv, { timeout: 30_000 })
  const { shown, code } = JSON.parse(stdout)
  return { shown: stripVTControlCharacters(shown), code }
}

test('init asks at a terminal, and does not show a secret', async (t) => {
  const missing = missingPrograms('python3')
  if (missing !== undefined) return skipUnavailable(t, missing)
  await using folder = await openFolder()
  const dir = join(folder.path, 'etc')
  const smtp = ['smtp.example', '', 'me', 'wordOfSecrecy', 'no-reply@acme.example']
  const lines = ['smtp', ...smtp, 'https://pombo.example.com', '', ''].map((line) => `${line}\r`)
  const { shown, code } = await type(lines, ['init', '--dir', dir])
  assert.equal(code, 0, shown)
  assert.match(shown, /smtp: The user name, if the server requires a login\. \[optional\]\s+> me/)
  assert.ok(!shown.includes('wordOfSecrecy'))
  const written = parseEnvText(readFileSync(join(dir, 'pombo.env'), 'utf8'))
  assert.equal(written['SMTP_PASSWORD'], 'wordOfSecrecy')
})

test('init ends at Ctrl+C and at Ctrl+D without writing', async (t) => {
  const missing = missingPrograms('python3')
  if (missing !== undefined) return skipUnavailable(t, missing)
  await using folder = await openFolder()
  for (const key of ['\x03', '\x04']) {
    const { shown, code } = await type(['smtp\r', key], ['init', '--dir', join(folder.path, 'etc')])
    assert.equal(code, 130, shown)
  }
})
