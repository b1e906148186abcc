/** Settings of the SMPP listener. */
import { Type } from 'typebox'
import { choice, flag, text, whole } from './setting.ts'
import type { Settings } from './settings.ts'

export const SMPP_SERVER_SETTINGS = {
  smppPort: Type.Optional(
    whole(0, 65_535, {
      env: 'POMBO_SMPP_PORT',
      description:
        'The port for SMPP clients without TLS, usually 2775; 0 means any free port. If neither it nor POMBO_SMPPS_PORT is set, Pombo takes no messages over SMPP. Processes with the role `api` listen. See docs/smpp-server.md.',
    }),
  ),
  smppsPort: Type.Optional(
    whole(0, 65_535, {
      env: 'POMBO_SMPPS_PORT',
      description:
        'The port for SMPP clients with TLS, usually 3550; 0 means any free port. It needs POMBO_TLS_CERTIFICATE_FILE.',
    }),
  ),
  smppHost: Type.Optional(
    text({
      env: 'POMBO_SMPP_HOST',
      must: 'an address of this machine',
      description: 'The address that both ports listen on, if it is not POMBO_HOST.',
    }),
  ),
  smppShortPasswords: flag({
    env: 'POMBO_SMPP_SHORT_PASSWORDS',
    default: false,
    must: 'true or false',
    description:
      'Whether SMPP clients may bind with the eight-character password of an API key, for clients that cut off longer ones. Whoever creates or rotates an API key gets it as `smpp_password`.',
  }),
  smppMaxSessions: whole(1, 100_000, {
    env: 'POMBO_SMPP_MAX_SESSIONS',
    default: 1_000,
    description: 'The maximum number of SMPP connections of this process, on each port.',
  }),
  smppMaxSessionsPerAddress: whole(1, 100_000, {
    env: 'POMBO_SMPP_MAX_SESSIONS_PER_ADDRESS',
    default: 100,
    description: 'The maximum number of these from one IPv4 address or one IPv6 /64 network.',
  }),
  smppMaxSessionsPerAccount: whole(1, 10_000, {
    env: 'POMBO_SMPP_MAX_SESSIONS_PER_ACCOUNT',
    default: 32,
    description: 'The maximum number of sessions that one account may have bound at this process.',
  }),
  smppWindow: whole(1, 10_000, {
    env: 'POMBO_SMPP_WINDOW',
    default: 100,
    description:
      'How many requests of one session are handled at once, and how many receipts it is sent before it answers. Further requests wait in the network.',
  }),
  smppEnquireSeconds: whole(1, 3_600, {
    env: 'POMBO_SMPP_ENQUIRE_SECONDS',
    default: 60,
    description: 'After so many seconds of silence Pombo sends `enquire_link` to an SMPP client.',
  }),
  smppAnswerSeconds: whole(1, 600, {
    env: 'POMBO_SMPP_ANSWER_SECONDS',
    default: 30,
    description:
      'How long an SMPP client may take to bind, and to answer `enquire_link` and receipts. Receipts without an answer are sent again.',
  }),
  smppJoinSeconds: whole(10, 86_400, {
    env: 'POMBO_SMPP_JOIN_SECONDS',
    default: 1_800,
    description:
      'How long the parts of a long message may take to arrive over SMPP. If some do not, nothing is sent, and the others get the receipt EXPIRED.',
  }),
  smppDefaultLane: choice(['transactional', 'bulk'], {
    env: 'POMBO_SMPP_DEFAULT_LANE',
    default: 'transactional',
    must: 'transactional or bulk',
    description: 'The lane of SMPP messages with the priority 0, as most clients send them. Others are transactional.',
  }),
}

type SmppSettings = Pick<Settings, 'smppPort' | 'smppsPort' | 'tlsCertificateFile'>

export function smppServerProblems({ smppPort, smppsPort, tlsCertificateFile }: SmppSettings): string[] {
  return [
    ...(smppPort !== undefined && smppPort === smppsPort && smppPort !== 0
      ? ['POMBO_SMPP_PORT and POMBO_SMPPS_PORT are the same; set different ports, or unset one of them']
      : []),
    ...(smppsPort !== undefined && tlsCertificateFile === undefined
      ? ['POMBO_TLS_CERTIFICATE_FILE is not set; POMBO_SMPPS_PORT needs a certificate']
      : []),
  ]
}
