/** Settings of mail that comes in: the SMTP listener for clients, and where bounces come back to. */
import { Type } from 'typebox'
import { parseEmailDomain } from '../domain/email/address.ts'
import { LOOPBACK } from '../lib/loopback.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { checked, text, whole } from './setting.ts'
import type { Settings } from './settings.ts'

export const SMTP_LISTENER_SETTINGS = {
  smtpPort: Type.Optional(
    whole(0, 65_535, {
      env: 'POMBO_SMTP_PORT',
      description:
        'The port for SMTP clients that use STARTTLS, usually 587; 0 means any free port. If neither it nor POMBO_SMTPS_PORT is set, Pombo takes no mail over SMTP. Processes with the role `api` listen. See docs/smtp.md.',
    }),
  ),
  smtpsPort: Type.Optional(
    whole(0, 65_535, {
      env: 'POMBO_SMTPS_PORT',
      description: 'The port for SMTP clients that use TLS from the start, usually 465; 0 means any free port.',
    }),
  ),
  smtpHost: Type.Optional(
    text({
      env: 'POMBO_SMTP_HOST',
      must: 'an address of this machine',
      description: 'The address that both ports listen on, if it is not POMBO_HOST.',
    }),
  ),
  smtpName: Type.Optional(
    checked(
      {
        env: 'POMBO_SMTP_NAME',
        must: 'a host name',
        description: 'The host name in the greeting, if it is not that of this machine.',
      },
      (value) => /^[A-Za-z0-9.-]{1,253}$/.test(value),
    ),
  ),
  smtpMaxMegabytes: whole(1, 25, {
    env: 'POMBO_SMTP_MAX_MEGABYTES',
    default: 10,
    description: 'The maximum size of a mail that arrives over SMTP, in mebibytes, with everything encoded.',
  }),
  smtpMaxRecipients: whole(1, 1_000, {
    env: 'POMBO_SMTP_MAX_RECIPIENTS',
    default: 100,
    description: 'The maximum number of recipients of one such mail; clients send the rest in another.',
  }),
  smtpMaxConnections: whole(1, 100_000, {
    env: 'POMBO_SMTP_MAX_CONNECTIONS',
    default: 500,
    description: 'The maximum number of open connections of each of the two ports.',
  }),
  smtpMaxConnectionsPerAddress: whole(1, 100_000, {
    env: 'POMBO_SMTP_MAX_CONNECTIONS_PER_ADDRESS',
    default: 100,
    description: 'The maximum number of these from one IPv4 address or one IPv6 /64 network.',
  }),
  bounceDomain: Type.Optional(
    checked(
      {
        env: 'POMBO_BOUNCE_DOMAIN',
        must: 'a domain in lower case',
        description:
          'The domain that bounces of mail sent by SMTP providers come back to: the envelope sender is then `bounces+…@` this domain, whose mail must reach the SMTP listener. If it is not set, bounces go to the sender of the mail.',
      },
      (value) => parseEmailDomain(value) !== undefined,
    ),
  ),
}

type SmtpSettings = Pick<Settings, keyof typeof SMTP_LISTENER_SETTINGS | 'host' | 'tlsCertificateFile' | 'tlsKeyFile'>

export type SmtpPort = Readonly<{ port: number; isImplicitTls: boolean }>

/** Where the listener listens and within which bounds; undefined if it does not. */
export function smtpListenerOf(settings: SmtpSettings) {
  const { smtpPort, smtpsPort, smtpHost, host, smtpName: name } = settings
  const ports: readonly SmtpPort[] = [
    ...(smtpPort === undefined ? [] : [{ port: smtpPort, isImplicitTls: false }]),
    ...(smtpsPort === undefined ? [] : [{ port: smtpsPort, isImplicitTls: true }]),
  ]
  if (ports.length === 0) return undefined
  return omitUndefined({
    ports,
    host: smtpHost ?? host,
    name,
    maxBytes: settings.smtpMaxMegabytes * 1024 * 1024,
    maxRecipients: settings.smtpMaxRecipients,
    connections: settings.smtpMaxConnections,
    connectionsPerAddress: settings.smtpMaxConnectionsPerAddress,
  })
}

export function smtpListenerProblems(settings: SmtpSettings): string[] {
  const listener = smtpListenerOf(settings)
  if (listener === undefined) return []
  const { smtpPort, smtpsPort, tlsCertificateFile } = settings
  const hasTls = tlsCertificateFile !== undefined
  return [
    ...(smtpPort === smtpsPort && smtpPort !== 0
      ? ['POMBO_SMTP_PORT and POMBO_SMTPS_PORT are the same; set different ports, or unset one of them']
      : []),
    ...(smtpsPort !== undefined && !hasTls
      ? ['POMBO_TLS_CERTIFICATE_FILE is not set; POMBO_SMTPS_PORT needs a certificate']
      : []),
    ...(smtpPort !== undefined && !hasTls && !LOOPBACK.test(listener.host)
      ? [
          `POMBO_SMTP_PORT listens on ${JSON.stringify(listener.host)}, which other machines can reach, without a certificate, so their API keys could be read on the way; set POMBO_TLS_CERTIFICATE_FILE, or POMBO_SMTP_HOST to 127.0.0.1`,
        ]
      : []),
  ]
}
