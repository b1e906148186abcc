import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { describe, test } from 'node:test'
import { run } from './test-world.ts'

describe('mcp', () => {
  test('loads the SDK only when it runs: neither the help nor other commands wait for it', async () => {
    const loaded: string[] = []
    const hooks = registerHooks({
      resolve(specifier, context, next) {
        loaded.push(specifier)
        return next(specifier, context)
      },
    })
    const { code, out } = await run(['help'])
    hooks.deregister()
    assert.deepEqual([code, /^ {2}mcp +Let AI assistants/m.test(out)], [0, true])
    assert.ok(loaded.some((specifier) => specifier.endsWith('mcp.ts')))
    assert.deepEqual(
      loaded.filter((specifier) => /modelcontextprotocol|zod/.test(specifier)),
      [],
    )
  })

  test('refuses options of the other transport', async () => {
    const mixed = await run(['mcp', '--http', '--token', 'x'])
    assert.deepEqual([mixed.code, /every client sends its own API key/.test(mixed.err)], [2, true])
    const alone = await run(['mcp', '--allowed-host', 'x'])
    assert.deepEqual([alone.code, /--allowed-host needs --http/.test(alone.err)], [2, true])
    assert.equal((await run(['mcp', '--http', '--port', '99999'])).code, 2)
  })
})
