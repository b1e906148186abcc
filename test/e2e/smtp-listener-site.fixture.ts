/** A gateway that takes mail over SMTP and sends it to a fake mail server, and keys to sign in with. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { createTransport, type Transporter } from 'nodemailer'
import { openFolder } from '../support/folder.ts'
import { freePorts } from '../support/free-port.ts'
import { selfSigned } from '../support/self-signed.ts'
import { openSmtpDialog, type SmtpDialog } from '../support/smtp-dialog.ts'
import { openSmtpSink, type SmtpSink } from '../support/smtp-sink.ts'
import type { ShareSite, Site } from './smpp-site.fixture.ts'

export const BOUNCE_DOMAIN = 'bounces.pombo.example'
export const MAX_BYTES = 2 * 1024 * 1024
/** Mail to other domains goes to the mail server. */
export const SIMULATED = 'simulated.example'

export type SmtpListenerSite = Readonly<{
  site: Site
  sink: SmtpSink
  port: number
  tlsPort: number
  certificate: string
  certificateFile: string
  /** May send email and read messages. */
  key: string
  createKey: (fields?: object) => Promise<string>
  /** A signed-in connection without TLS. */
  dialog: () => Promise<SmtpDialog>
  /** A client with STARTTLS. */
  mailer: (key?: string) => Transporter
}>

export async function shareSmtpListenerSite(share: ShareSite): Promise<SmtpListenerSite> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const sink = opened.use(await openSmtpSink())
  const { path } = opened.use(await openFolder())
  const [port = 0, tlsPort = 0] = await freePorts(2)
  const { cert, key: privateKey } = selfSigned('127.0.0.1')
  const [certificateFile, keyFile] = [join(path, 'cert.pem'), join(path, 'key.pem')]
  await Promise.all([writeFile(certificateFile, cert), writeFile(keyFile, privateKey, { mode: 0o600 })])
  const site = await share({
    config: () => toConfig(sink),
    env: {
      POMBO_SMTP_PORT: String(port),
      POMBO_SMTPS_PORT: String(tlsPort),
      POMBO_SMTP_MAX_MEGABYTES: String(MAX_BYTES / 1024 / 1024),
      POMBO_TLS_CERTIFICATE_FILE: certificateFile,
      POMBO_TLS_KEY_FILE: keyFile,
      POMBO_BOUNCE_DOMAIN: BOUNCE_DOMAIN,
      POMBO_LOG_LEVEL: 'debug',
      POMBO_PROVIDER_TIMEOUT_SECONDS: '5',
    },
  })
  const createKey = async (fields: object = {}): Promise<string> => {
    const wanted = { name: randomUUID(), scopes: ['email:send', 'messages:read', 'content:read'], ...fields }
    const { status, body, text } = await site.gateway.call<{ key: string }>('POST', '/v1/api-keys', wanted)
    assert.equal(status, 201, text)
    return body.key
  }
  const key = await createKey()
  const dialog = async (): Promise<SmtpDialog> => {
    const client = await openSmtpDialog(port)
    assert.match(await client.signIn(key), /^235 /)
    return client
  }
  const mailer = (pass = key): Transporter => {
    const tls = { ca: cert, minVersion: 'TLSv1.2' } as const
    return createTransport({ host: '127.0.0.1', port, requireTLS: true, tls, auth: { user: 'apikey', pass } })
  }
  return { site, sink, port, tlsPort, certificate: cert, certificateFile, key, createKey, dialog, mailer }
}

function toConfig(sink: SmtpSink): object {
  const byMail = { channel: 'email', retry: { delays_seconds: [0.1], max_attempts: 2 }, unknown: { wait_seconds: 0 } }
  return {
    providers: [
      {
        name: 'post',
        kind: 'smtp',
        settings: { host: '127.0.0.1', port: sink.port, tls: 'none', from: 'no-reply@acme.example' },
      },
      { name: 'simulator', kind: 'simulator' },
    ],
    routes: [
      { id: 'by-post', ...byMail, providers: ['post'] },
      { id: 'simulated', ...byMail, prefix: SIMULATED, providers: ['simulator'] },
    ],
    tenants: { rival: { name: 'Rival', senders: ['rival.example'] } },
  }
}

/** A mail as a client sends it, in one piece. */
export const someSource = (headers: readonly string[] = [], body = 'Hello'): string =>
  [
    'From: Acme <shop@acme.example>',
    'Subject: Your parcel',
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${randomUUID()}@acme.example>`,
    ...headers,
    '',
    body,
    '',
  ].join('\r\n')

/** Sends it in an open session, and returns the last reply. */
export async function submit(client: SmtpDialog, source: string, ...to: readonly string[]): Promise<string> {
  await client.say('MAIL FROM:<shop@acme.example>')
  for (const address of to) {
    const reply = await client.say(`RCPT TO:<${address}>`)
    if (!reply.startsWith('250')) {
      await client.say('RSET')
      return reply
    }
  }
  await client.say('DATA')
  return client.send(`${source}.\r\n`)
}

/** The ids of the messages in a reply. */
export const idsIn = (reply: string): readonly string[] =>
  reply.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? []
