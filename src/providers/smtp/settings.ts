/** What a connector to a mail server needs to know. Connections and rates are those of each process that sends. */
import { createPrivateKey } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { closed, secret, text } from '../kind.ts'
import { sender } from '../sender.ts'

export const TLS_MODES = ['starttls', 'implicit', 'opportunistic', 'none'] as const
export type TlsMode = (typeof TLS_MODES)[number]

const whole = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description, must: `a whole number from ${minimum} to ${maximum}` }))

const PEM_CERTIFICATES = '^\\s*-----BEGIN CERTIFICATE-----[\\s\\S]+-----END CERTIFICATE-----\\s*$'

/** No other keys are known to all who check signatures. */
function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

const Dkim = Type.Object(
  {
    domain: text('The domain that signs.', 'a domain name', '^[A-Za-z0-9.-]+$'),
    selector: text('Which of its keys it is: its record is at `selector._domainkey.domain`.', 'a name', '^[\\w.-]+$'),
    private_key: Type.Refine(
      Type.String({
        description: 'The key, in PEM.',
        must: 'an RSA private key in PEM, best given by a variable',
        maxLength: 20_000,
      }),
      isRsaKey,
    ),
  },
  {
    additionalProperties: false,
    must: 'an object of domain, selector and private_key',
    description: 'Signs every mail.',
  },
)

export const Settings = Type.Object(
  {
    host: text('Where the mail server is.', 'the name or address of a machine'),
    port: whole(1, 65_535, 'The port it listens on (587, or 465 where it speaks TLS from the start).'),
    tls: Type.Optional(
      Type.Enum([...TLS_MODES], {
        must: 'starttls, implicit, opportunistic or none',
        description:
          'Whether the connection must switch to TLS (starttls), is TLS from the start (implicit), switches to TLS if the server offers it, whatever its certificate (opportunistic), or stays unencrypted (none). The default is starttls, and opportunistic for this very machine. A password is sent unencrypted only with none.',
      }),
    ),
    ca: Type.Optional(
      Type.String({
        pattern: PEM_CERTIFICATES,
        must: 'one or more certificates in PEM, best given by a variable',
        description: 'Who vouches for it over TLS, where no public authority does.',
      }),
    ),
    user: Type.Optional(text('The account, where it asks for one.', 'a name without spaces')),
    password: Type.Optional(
      // Those that are made for one application are often written in groups.
      text('Its password.', 'a password on one line, best given by a variable', '^[^\\r\\n\\0]+$'),
    ),
    from: sender('The sender of mail that names none.'),
    connections: whole(1, 100, 'How many connections each process that sends opens at most (5).'),
    max_per_second: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 100_000,
        must: 'a number from 0.1 to 100000',
        description:
          'The most mails that each process that sends may hand over, over all its connections. Left out, it is as fast as the server lets it be.',
      }),
    ),
    mails_per_connection: whole(1, 100_000, 'After how many mails a connection is closed and another opened (100).'),
    ehlo_name: Type.Optional(text('The name we greet it by (that of this machine).', 'the name of a machine')),
    connect_seconds: whole(1, 120, 'How long it may take until it is ready for a mail (10).'),
    answer_seconds: whole(1, 600, 'How long it may be silent (120).'),
    idle_seconds: whole(1, 600, 'How long a connection without a mail to send is kept (30).'),
    dkim: Type.Optional(Dkim),
    bounce_secret: Type.Optional(
      secret('What whoever passes bounces on to `POST /v1/callbacks/{name}` says after `Authorization: Bearer`.'),
    ),
  },
  {
    ...closed,
    dependentRequired: { user: ['password'], password: ['user'] },
    must: 'an object that has both user and password, or neither',
  },
)
export type Settings = Static<typeof Settings>

/** Of this very machine nobody else hears. */
const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

export const toTlsMode = ({ tls, host }: Pick<Settings, 'tls' | 'host'>): TlsMode =>
  tls ?? (isLoopback(host) ? 'opportunistic' : 'starttls')

/** What is allowed, and should be known before the first mail is sent. */
export function toWarnings(settings: Settings): readonly string[] {
  const { user, host } = settings
  const tls = toTlsMode(settings)
  if (user === undefined) return []
  if (tls === 'none' && !isLoopback(host)) {
    return ['"tls" is "none", so the password is sent unencrypted; set it to "starttls" or "implicit"']
  }
  if (tls !== 'opportunistic') return []
  return [
    '"tls" is "opportunistic", and the password is sent only over TLS: a server without STARTTLS gets no mail ' +
      '(TLS_REQUIRED), and no certificate is checked; set it to "starttls" or "implicit", or to "none" for a server on this machine',
  ]
}
