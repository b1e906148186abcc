/** `pombo erasures`: lists erasures by recipient, and verifies the receipt of one. */
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, whole } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'
import { numberIn, parseJson, textIn, toJson } from './json.ts'
import { readPages } from './pages.ts'
import type { World } from './world.ts'

export const erasures = defineCommand({
  name: 'erasures',
  summary: 'List erasures by recipient, or verify the receipt of one.',
  words: { usage: 'list | verify FILE', least: 1, most: 2 },
  options: {
    to: { value: 'RECIPIENT', about: 'verify also that the receipt is about this number or address' },
    limit: { value: 'NUMBER', about: 'how many to list at most (20)' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [verb, file]) {
    const json = values.json === true
    const limit = whole('limit', values.limit, 20, 100_000)
    const client = toClient(world, values)
    if (verb === 'list' && file === undefined) return await list(world, client, limit, json)
    if (verb !== 'verify' || file === undefined) {
      throw usageError('the command reads: pombo erasures list, or pombo erasures verify FILE')
    }
    return await verify(world, client, { file, to: values.to, json })
  },
})

async function list(world: World, client: Client, limit: number, json: boolean): Promise<number> {
  const found = await Array.fromAsync(readPages(client, '/v1/erasures', {}, limit))
  if (found.length === 0 && !json) world.out.write('no erasures\n')
  for (const erasure of found) {
    const counts = `${numberIn(erasure, 'erased') ?? 0} erased, ${numberIn(erasure, 'failed') ?? 0} failed`
    const line = [textIn(erasure, 'requested_at'), textIn(erasure, 'id'), textIn(erasure, 'status'), counts].join('  ')
    world.out.write(json ? `${JSON.stringify(erasure)}\n` : `${line}\n`)
  }
  return EXIT.ok
}

type Asked = Readonly<{ file: string; to: string | undefined; json: boolean }>

async function verify(world: World, client: Client, { file, to, json }: Asked): Promise<number> {
  const signed = toJson(parseJson(read(world, file)))
  if (signed['receipt'] === undefined || signed['signature'] === undefined) {
    throw failure(`${file} is not a receipt: it must be JSON with a receipt and a signature`)
  }
  const { receipt, signature } = signed
  const body = { receipt, signature, ...(to === undefined ? {} : { to }) }
  const answer = await client.call('POST', '/v1/erasures/verify', { body })
  const isValid = answer['valid'] === true
  const isOther = answer['recipient_matches'] === false
  if (json) world.out.write(`${JSON.stringify(answer)}\n`)
  else world.out.write(`${toVerdict(isValid, isOther)}\n`)
  return isValid && !isOther ? EXIT.ok : EXIT.failure
}

function read(world: World, file: string): string {
  try {
    return world.readFile(file)
  } catch {
    throw failure(`${file} cannot be read`)
  }
}

function toVerdict(isValid: boolean, isOther: boolean): string {
  if (!isValid) return 'not valid: this gateway did not sign it, or it was changed since'
  return isOther ? 'valid, but about another recipient' : 'valid: signed by this gateway, and not changed since'
}
