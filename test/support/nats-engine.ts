/** Opens engines on a NATS broker and inspects their files. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSealer } from '../../src/engines/crypto/sealer.ts'
import { type NatsEngine, type NatsEngineOptions, openNatsEngine } from '../../src/engines/nats/nats.ts'
import { REAL_TIME } from '../../src/ports/samples.contract.ts'
import type { Sealer } from '../../src/ports/sealer.ts'
import { newPrefix } from './nats-server.ts'

export const MASTER_KEY = randomBytes(32)

export type EngineOptions = Partial<NatsEngineOptions> & Pick<NatsEngineOptions, 'url'>

/** Uses a new prefix unless `options` names one. */
export const openEngine = (options: EngineOptions): Promise<NatsEngine> =>
  openNatsEngine({
    prefix: newPrefix(),
    sealer: openSealer(MASTER_KEY),
    clock: REAL_TIME.clock,
    indexBodies: false,
    ...options,
  })

/** A sealer that records every secret it uses. */
export function recordingSealer(secrets: Uint8Array[]): Sealer {
  const sealer = openSealer(MASTER_KEY)
  return {
    ...sealer,
    seal(id, plain) {
      const made = sealer.seal(id, plain)
      secrets.push(made.secret)
      return made
    },
  }
}

/** The files below a folder that contain these bytes. */
export async function filesWith(folder: string, bytes: Uint8Array): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const found = await Promise.all(
    files.map(async (file) =>
      (await readFile(file).catch(() => Buffer.alloc(0))).includes(Buffer.from(bytes)) ? [file] : [],
    ),
  )
  return found.flat()
}
