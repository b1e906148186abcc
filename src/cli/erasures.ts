/** `pombo erasures`: lists erasures by recipient, and verifies their receipts. */
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Client, readPages, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, whole } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'
import { numberIn, parseJson, textIn, toJson } from './json.ts'
import type { World } from './world.ts'

export const erasures = defineCommand({
  name: 'erasures',
  summary: 'List erasures by recipient, or verify a receipt.',
  words: { usage: 'list | verify FILE', least: 1, most: 2 },
  options: {
    to: { value: 'RECIPIENT', about: 'also verify that the receipt is for this phone number or email address' },
    limit: { value: 'NUMBER', about: 'maximum number to list (20)' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [verb, file]) {
    const json = values.json === true
    const limit = whole('limit', values.limit, 20, 100_000)
    const client = toClient(world, values)
    if (verb === 'list' && file === undefined) return await list(world, client, limit, json)
    if (verb !== 'verify' || file === undefined) {
      throw usageError('usage: pombo erasures list, or pombo erasures verify FILE')
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

type VerifyOptions = Readonly<{ file: string; to: string | undefined; json: boolean }>

async function verify(world: World, client: Client, { file, to, json }: VerifyOptions): Promise<number> {
  const signed = toJson(parseJson(read(world, file)))
  if (signed['receipt'] === undefined || signed['signature'] === undefined) {
    throw failure(`${file} is not a receipt: expected JSON with a receipt and a signature`)
  }
  const { receipt, signature } = signed
  const body = omitUndefined({ receipt, signature, to })
  const answer = await client.call('POST', '/v1/erasures/verify', { body })
  const isValid = answer['valid'] === true
  const isForAnother = answer['recipient_matches'] === false
  if (json) world.out.write(`${JSON.stringify(answer)}\n`)
  else world.out.write(`${toVerdict(isValid, isForAnother)}\n`)
  return isValid && !isForAnother ? EXIT.ok : EXIT.failure
}

function read(world: World, file: string): string {
  try {
    return world.readFile(file)
  } catch {
    throw failure(`${file} cannot be read`)
  }
}

function toVerdict(isValid: boolean, isForAnother: boolean): string {
  if (!isValid) return 'invalid: not signed by this gateway, or changed since'
  return isForAnother ? 'valid, but for another recipient' : 'valid: signed by this gateway and unchanged'
}
