/** SMPP over TLS, and clients that fall silent. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { openFolder } from '../support/folder.ts'
import { selfSigned } from '../support/self-signed.ts'
import { shareEmbedded } from '../support/shared-gateway.ts'
import { bindClient, createLogin, smppPortOf } from '../support/smpp-client.ts'
import { openSocket, toOctets } from '../support/smpp-octets.ts'
import { freshNumber } from '../support/sms.ts'
import { until } from '../support/until.ts'

const folder = await openFolder()
after(() => folder[Symbol.asyncDispose]())
const { cert, key } = selfSigned('127.0.0.1')
const [certificateFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
await writeFile(certificateFile, cert)
await writeFile(keyFile, key)
const gateway = await shareEmbedded({
  env: {
    POMBO_SMPP_PORT: '0',
    POMBO_SMPPS_PORT: '0',
    POMBO_TLS_CERTIFICATE_FILE: certificateFile,
    POMBO_TLS_KEY_FILE: keyFile,
    POMBO_SMPP_ENQUIRE_SECONDS: '1',
    POMBO_SMPP_ANSWER_SECONDS: '2',
    POMBO_SMPP_MAX_SESSIONS: '20',
    POMBO_SMPP_MAX_SESSIONS_PER_ADDRESS: '12',
    POMBO_SMPP_MAX_SESSIONS_PER_ACCOUNT: '2',
    POMBO_LOG_LEVEL: 'info',
  },
  receiptDelayMs: 50,
})
const login = await createLogin(gateway)
const [port, tlsPort] = [await smppPortOf(gateway), await smppPortOf(gateway, 'tls_port')]

test('a client with TLS sends, and gets its receipt', async () => {
  await using client = await bindClient({ port: tlsPort, ...login, tls: { ca: cert } })
  const id = await client.submit(freshNumber(), 'encrypted', { registered_delivery: 1 })
  await client.receiptOf(id)
})

test('the port with TLS answers nobody without it, and lives on', async () => {
  const { socket, received } = await openSocket(tlsPort)
  socket.write(toOctets('bind_transceiver', { ...login, interface_version: 0x34 }))
  await until('the end', () => socket.closed || socket.readableEnded)
  assert.ok(received().length < 16 || received()[0] !== 0)
  await using _client = await bindClient({ port: tlsPort, ...login, tls: { ca: cert } })
})

test('connections from one address that never begin TLS leave room for others, and are hung up on', async () => {
  const silent = Array.from({ length: 24 }, () =>
    connect({ port: tlsPort, host: '127.0.0.1', localAddress: '127.0.0.2' }),
  )
  for (const socket of silent) socket.on('error', () => undefined).resume()
  try {
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    await using client = await bindClient({ port: tlsPort, ...login, tls: { ca: cert } })
    await client.submit(freshNumber(), 'let in')
    await until('the time for a handshake', () => silent.every(({ closed }) => closed))
  } finally {
    for (const socket of silent) socket.destroy()
  }
  // Their places are free again.
  const socket = connect({ port: tlsPort, host: '127.0.0.1', localAddress: '127.0.0.2' })
  const late = connectTls({ socket, host: '127.0.0.1', ca: cert })
  await once(late, 'secureConnect')
  late.destroy()
})

test('a client that is silent is asked whether it is there, and one that does not answer is hung up on', async () => {
  await using client = await bindClient({ port, ...login })
  await until('two questions', () => client.enquiries.length >= 2)
  assert.equal(client.closed, false)
  const { socket } = await openSocket(port)
  socket.write(toOctets('bind_transceiver', { ...login, interface_version: 0x34 }))
  await until('the end', () => socket.closed || socket.readableEnded)
})

test('an account has only so many sessions at once', async () => {
  await until('room', async () => {
    await using one = await bindClient({ port, ...login })
    return one.closed === false
  })
  await using _one = await bindClient({ port, ...login })
  await using _two = await bindClient({ port, ...login })
  await assert.rejects(bindClient({ port, ...login }))
  await using _other = await bindClient({ port, ...(await createLogin(gateway, { account_id: 'another' })) })
})
