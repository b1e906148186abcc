/** The settings of a mail server. Connections and rates apply to each process that sends. */
import { createPrivateKey } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { sender } from '../envelope.ts'
import { closed, secret, text } from '../kind.ts'

const TLS_MODES = ['starttls', 'implicit', 'opportunistic', 'none'] as const
export type TlsMode = (typeof TLS_MODES)[number]

const whole = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description, must: `a whole number from ${minimum} to ${maximum}` }))

const PEM_CERTIFICATES = '^\\s*-----BEGIN CERTIFICATE-----[\\s\\S]+-----END CERTIFICATE-----\\s*$'

/** Not every verifier supports other keys. */
function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

const Dkim = Type.Object(
  {
    domain: text('The signing domain.', 'a domain name', '^[A-Za-z0-9.-]+$'),
    selector: text('The selector: the DNS record is at `selector._domainkey.domain`.', 'a name', '^[\\w.-]+$'),
    private_key: Type.Refine(
      Type.String({
        description: 'The private key, in PEM.',
        must: 'an RSA private key in PEM, best given by a variable',
        maxLength: 20_000,
      }),
      isRsaKey,
    ),
  },
  {
    additionalProperties: false,
    must: 'an object of domain, selector and private_key',
    description: 'Signs every email with DKIM.',
  },
)

export const Settings = Type.Object(
  {
    host: text('The host name of the mail server.', 'a host name or an IP address'),
    port: whole(1, 65_535, 'The port (587, or 465 with implicit TLS).'),
    tls: Type.Optional(
      Type.Enum([...TLS_MODES], {
        must: 'starttls, implicit, opportunistic or none',
        description:
          'Whether the connection must upgrade to TLS (starttls), uses TLS from the start (implicit), upgrades to TLS if the server offers it and without checking the certificate (opportunistic), or stays unencrypted (none). The default is starttls, and opportunistic for localhost. A password is sent unencrypted only with none.',
      }),
    ),
    ca: Type.Optional(
      Type.String({
        pattern: PEM_CERTIFICATES,
        must: 'one or more certificates in PEM, best given by a variable',
        description: "The certificate authorities that sign the server's certificate, if they are not public.",
      }),
    ),
    user: Type.Optional(text('The user name, if the server requires a login.', 'a name without spaces')),
    password: Type.Optional(
      // Application passwords often contain spaces.
      text('The password.', 'a password on one line, best given by a variable', '^[^\\r\\n\\0]+$'),
    ),
    from: sender('The sender of email that names none.'),
    connections: whole(1, 100, 'The maximum number of connections of each process that sends (5).'),
    max_per_second: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 100_000,
        must: 'a number from 0.1 to 100000',
        description:
          'The maximum number of emails per second of each process that sends, over all its connections. Unlimited by default.',
      }),
    ),
    mails_per_connection: whole(1, 100_000, 'The number of emails after which a connection is replaced (100).'),
    ehlo_name: Type.Optional(text('The host name that we announce with EHLO (that of this machine).', 'a host name')),
    connect_seconds: whole(1, 120, 'The timeout for connecting and logging in, in seconds (10).'),
    answer_seconds: whole(1, 600, 'The timeout for an answer of the server, in seconds (120).'),
    idle_seconds: whole(1, 600, 'How long an idle connection is kept open, in seconds (30).'),
    dkim: Type.Optional(Dkim),
    bounce_secret: Type.Optional(
      secret('The bearer token that authorises forwarded bounce mails at `POST /v1/callbacks/{name}`.'),
    ),
  },
  {
    ...closed,
    dependentRequired: { user: ['password'], password: ['user'] },
    must: 'an object that has both user and password, or neither',
  },
)
export type Settings = Static<typeof Settings>

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

export const toTlsMode = ({ tls, host }: Pick<Settings, 'tls' | 'host'>): TlsMode =>
  tls ?? (isLoopback(host) ? 'opportunistic' : 'starttls')

/** Valid settings that may surprise the operator. */
export function toWarnings(settings: Settings): readonly string[] {
  const { user, host } = settings
  const tls = toTlsMode(settings)
  if (user === undefined) return []
  if (tls === 'none' && !isLoopback(host)) {
    return ['"tls" is "none", so the password is sent unencrypted; set it to "starttls" or "implicit"']
  }
  if (tls !== 'opportunistic') return []
  return [
    '"tls" is "opportunistic": email to a server without STARTTLS fails with TLS_REQUIRED, because the password is sent ' +
      'only over TLS, and no certificate is checked; set it to "starttls" or "implicit", or to "none" for a server on this machine',
  ]
}
