import assert from 'node:assert/strict'
import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../../test/support/folder.ts'
import { selfSigned } from '../../test/support/self-signed.ts'
import { until } from '../../test/support/until.ts'
import { millis } from '../lib/time.ts'
import { openServerTls } from './tls.ts'

async function openWorld() {
  const folder = await openFolder()
  const [certificateFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
  const lines: string[] = []
  const write = ({ cert, key }: Readonly<{ cert: string; key: string }>): void => {
    writeFileSync(certificateFile, cert)
    writeFileSync(keyFile, key)
  }
  const first = selfSigned('127.0.0.1')
  write(first)
  const options = { log: (_level: string, event: string) => void lines.push(event), every: millis(5) }
  const tls = openServerTls({ certificateFile, keyFile }, options)
  return {
    ...{ tls, lines, write, first, certificateFile, keyFile },
    async [Symbol.asyncDispose]() {
      tls[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('a renewed certificate is used without a restart', async () => {
  await using world = await openWorld()
  const used: string[] = []
  world.tls.onRenewed(({ cert }) => void used.push(cert))
  const next = selfSigned('127.0.0.1')
  world.write(next)
  await until('the certificate to be renewed', () => used.length > 0)
  assert.deepEqual([used, world.tls.current()], [[next.cert], next])
  assert.ok(world.lines.includes('tls: certificate renewed'))
})

test('a link that is replaced is followed, as certificate tools do', async () => {
  await using world = await openWorld()
  const next = selfSigned('127.0.0.1')
  for (const [path, pem] of [
    [world.keyFile, next.key],
    [world.certificateFile, next.cert],
  ] as const) {
    writeFileSync(`${path}.2`, pem)
    symlinkSync(`${path}.2`, `${path}.link`)
    renameSync(`${path}.link`, path)
  }
  await until('the certificate to be renewed', () => world.tls.current().cert === next.cert)
})

test('while certificate and key do not fit together, the previous pair stays in use', async () => {
  await using world = await openWorld()
  const next = selfSigned('127.0.0.1')
  writeFileSync(world.certificateFile, next.cert)
  await until('the problem', () => world.lines.length > 0)
  assert.deepEqual(world.lines, ['tls: the certificate cannot be used, keeping the previous'])
  assert.deepEqual(world.tls.current(), world.first)
  writeFileSync(world.keyFile, next.key)
  await until('the certificate to be renewed', () => world.tls.current().cert === next.cert)
})

test('a chain whose end is not written yet is not used', async () => {
  await using world = await openWorld()
  const { cert } = world.first
  writeFileSync(world.certificateFile, cert + cert.slice(0, cert.length / 2))
  await until('the problem', () => world.lines.length > 0)
  assert.deepEqual(world.lines, ['tls: the certificate cannot be used, keeping the previous'])
  writeFileSync(world.certificateFile, cert + cert)
  await until('the certificate to be renewed', () => world.tls.current().cert === cert + cert)
})
