/**
 * Takes mail from SMTP clients that sign in with an API key, and bounces from everybody else. `250` follows once the
 * messages are durable. It is no relay: without a sign-in only the addresses of bounces exist.
 */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { ServerTls } from '../tls.ts'
import { type Bounds, type HandlerDeps, MailHandler } from './mail-handler.ts'
import { Reply, toReply, unavailableReply } from './replies.ts'
import { isPrivate, Sessions } from './sessions.ts'
import { openSignIn, type VerifyKey } from './sign-in.ts'

export type SmtpListenerDeps = HandlerDeps &
  Readonly<{
    verifyKey: VerifyKey
    /** Undefined where there is no certificate: then only this machine can sign in. */
    tls: ServerTls | undefined
    onSignInRefused: (client: string, reason: string) => void
  }>

export type SmtpListenerOptions = Bounds &
  Readonly<{
    host: string
    port: number
    isImplicitTls: boolean
    name?: string
    connections: number
    connectionsPerAddress: number
    /** How long mails that are arriving may take when the listener closes. */
    graceMs: number
  }>

export type SmtpListener = AsyncDisposable & Readonly<{ port: number }>

const IDLE_MS = 300_000
const LOOK_EVERY_MS = 50
/** Refused commands of one connection. */
const MAX_REFUSALS = 20
/** Commands that would tell which addresses exist, or that no client needs. */
const DISABLED = ['VRFY', 'EXPN', 'ETRN', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL']

export async function openSmtpListener(deps: SmtpListenerDeps, options: SmtpListenerOptions): Promise<SmtpListener> {
  const sessions = new Sessions(options.connectionsPerAddress)
  const signIn = openSignIn({ ...deps, onRefused: deps.onSignInRefused })
  const handler = new MailHandler(deps, options, sessions, signIn)
  const server = new SMTPServer({ ...toOptions(deps, options), ...toHooks(deps, handler, sessions, () => server) })
  server.on('error', (error) => deps.logger.debug({ reason: error.message }, 'smtp: connection failed'))
  deps.tls?.onRenewed((certificate) => server.updateSecureContext(certificate))
  const sockets = watchSockets(server)
  server.listen(options.port, options.host)
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  deps.logger.info({ port }, 'smtp: listening')
  return { port, [Symbol.asyncDispose]: () => close(server, sessions, sockets) }
}

function toOptions({ tls }: SmtpListenerDeps, options: SmtpListenerOptions): SMTPServerOptions {
  const { isImplicitTls, name, maxBytes, maxRecipients, connections, graceMs } = options
  return {
    ...(name === undefined ? {} : { name }),
    ...(tls === undefined ? {} : tls.current()),
    secure: isImplicitTls,
    banner: 'Pombo',
    heloResponse: '%s',
    size: maxBytes,
    maxRecipients,
    maxClients: connections,
    authMethods: ['PLAIN', 'LOGIN'],
    // Who must sign in, and over which connection, is decided by the hooks.
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: tls === undefined ? [...DISABLED, 'STARTTLS'] : DISABLED,
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    disableReverseLookup: true,
    socketTimeout: IDLE_MS,
    closeTimeout: graceMs,
    logger: false,
  }
}

type Hooks = Pick<
  SMTPServerOptions,
  'onConnect' | 'onSecure' | 'onAuth' | 'onMailFrom' | 'onRcptTo' | 'onData' | 'onClose'
>
type Done = (error?: Error | null) => void

function toHooks(deps: SmtpListenerDeps, handler: MailHandler, sessions: Sessions, serverOf: () => SMTPServer): Hooks {
  const refuse = (session: SMTPServerSession, error: unknown): Error => {
    const state = sessions.of(session)
    state.refusals += 1
    if (state.refusals > MAX_REFUSALS) return new Reply(421, 'Too many refused commands')
    const reply = toReply(error)
    if (reply === undefined) deps.logger.error({ err: error }, 'smtp: unexpected error')
    return reply ?? unavailableReply()
  }
  const refuseMail = (session: SMTPServerSession, error: unknown): Error => {
    const reply = refuse(session, error)
    deps.onMail(reply instanceof Reply && reply.isTemporary ? 'deferred' : 'refused')
    return reply
  }
  const step = (session: SMTPServerSession, act: () => void | Promise<void>, done: Done): void => {
    Promise.try(act).then(
      () => done(),
      (error: unknown) => done(refuse(session, error)),
    )
  }
  return {
    onConnect: (session, done) => {
      if (!sessions.open(session)) return done(new Reply(421, 'Too many connections from your address'))
      if (!isPrivate(session)) session.disabledCommands = [...DISABLED, 'AUTH']
      done()
    },
    onSecure: (_socket, session, done) => {
      delete session.disabledCommands
      delete sessions.of(session).signedIn
      done()
    },
    onAuth: ({ password }, session, done) => {
      const act = () => handler.signIn(session, password ?? '')
      step(session, act, (error) => (error ? done(error) : done(null, { user: 'apikey' })))
    },
    onMailFrom: (_address, session, done) => step(session, () => handler.sender(session), done),
    onRcptTo: (address, session, done) => step(session, () => handler.recipient(session, address), done),
    onData: (stream, session, done) => {
      const state = sessions.of(session)
      const connection = [...serverOf().connections].find((one) => one.session === session)
      state.isBusy = true
      handler
        .mail(stream, session, (text) => connection?.send(421, text, false))
        .then(
          (text) => done(null, text),
          (error: unknown) => done(stream.errored === error ? LOST() : refuseMail(session, error)),
        )
        .finally(() => {
          state.isBusy = false
        })
    },
    onClose: (session) => sessions.close(session),
  }
}

/** Nobody reads it. */
const LOST = () => new Reply('451 4.4.2', 'The connection was lost')

/**
 * Idle connections end at once, and the others when their mail is stored, or when the time is up. A client that does not
 * close its side must not hold up the process.
 */
async function close(server: SMTPServer, sessions: Sessions, sockets: ReadonlySet<Socket>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  const hangUp = (): void => {
    for (const connection of server.connections) {
      if (!sessions.of(connection.session).isBusy) connection.send(421, '4.3.2 Shutting down, try again later', false)
    }
    if (server.connections.size === 0) resolve()
  }
  hangUp()
  const timer = setInterval(hangUp, LOOK_EVERY_MS)
  await promise
  clearInterval(timer)
  for (const socket of sockets) socket.unref()
}

/** The library forgets connections before their clients have closed them. */
function watchSockets(server: SMTPServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}
