import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { BAD_LENGTH, FrameReader } from '../../lib/frame-reader.ts'
import { seconds } from '../../lib/time.ts'
import { COMMANDS, type Command, readHeader, STATUS, toPdu } from './pdu.ts'
import { type Reply, Session, type SessionDeps } from './session.ts'

const BOUND = { caller: {} as Caller, keyId: 'key', kind: 'transceiver' } as const
const TIMES = { bind: seconds(5), enquire: seconds(60), answer: seconds(30) }

/** A session over loopback, and a client that sees what it is answered: command, status and sequence number. */
async function openWorld(overrides: Partial<SessionDeps> = {}) {
  const faults: unknown[] = []
  const sessions: Session[] = []
  const server = createServer((socket) => {
    const deps: SessionDeps = {
      window: 3,
      times: TIMES,
      bind: () => ({ status: STATUS.ok, bound: BOUND }),
      serve: () => ({ status: STATUS.ok }),
      onClose: () => undefined,
      onAnswer: () => undefined,
      onFault: (error) => void faults.push(error),
      ...overrides,
    }
    sessions.push(new Session(socket, deps))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  after(() => {
    socket.destroy()
    server.close()
  })
  const answers = readAnswers(socket)
  const send = (command: Command | number, sequence: number): void => {
    const id = typeof command === 'number' ? command : COMMANDS[command]
    socket.write(toPdu(id, sequence, 0))
  }
  const bind = async (): Promise<Session> => {
    send('bind_transceiver', 1)
    await until('the bind', () => answers.length > 0)
    return sessions[0] ?? assert.fail('there is no session')
  }
  return { socket, answers, send, bind, faults, sessions }
}

type Seen = Readonly<{ id: number; status: number; sequence: number }>

function readAnswers(socket: Socket): readonly Seen[] {
  const seen: Seen[] = []
  const frames = new FrameReader({ min: 16, max: 1024 })
  socket.on('data', (chunk) => {
    frames.push(chunk)
    for (let frame = frames.next(); frame !== undefined && frame !== BAD_LENGTH; frame = frames.next()) {
      const { status, sequence } = readHeader(frame)
      seen.push({ id: frame.readUInt32BE(4), status, sequence })
    }
  })
  return seen
}

test('no more requests are under way than the window has room for, and all are answered', async () => {
  let [underWay, most] = [0, 0]
  const waiting: (() => void)[] = []
  const serve = async (): Promise<Reply> => {
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise<void>((resolve) => void waiting.push(resolve))
    underWay -= 1
    return { status: STATUS.ok }
  }
  const { answers, send, bind } = await openWorld({ serve })
  await bind()
  for (let nth = 2; nth < 22; nth += 1) send('submit_sm', nth)
  await until('a full window', () => underWay === 3)
  while (answers.length < 21) {
    waiting.shift()?.()
    await new Promise(setImmediate)
  }
  assert.equal(most, 3)
})

test('a request that fails by our fault is answered with ESME_RSYSERR, and the session goes on', async () => {
  const error = new Error('a bug')
  let calls = 0
  const serve = (): Reply | Promise<Reply> => {
    calls += 1
    if (calls === 1) throw error
    return calls === 2 ? Promise.reject(error) : { status: STATUS.ok }
  }
  const { answers, send, bind, faults } = await openWorld({ serve })
  await bind()
  for (const sequence of [2, 3, 4]) send('submit_sm', sequence)
  await until('the answers', () => answers.length === 4)
  assert.deepEqual(
    new Map(answers.map(({ sequence, status }) => [sequence, status])),
    new Map([1, 2, 3, 4].map((sequence) => [sequence, sequence === 2 || sequence === 3 ? STATUS.systemError : 0])),
  )
  assert.deepEqual(faults, [error, error])
})

test('a session that closes answers what is under way, sends the rest elsewhere, and unbinds', async () => {
  let finish: (() => void) | undefined
  const serve = (): Promise<Reply> =>
    new Promise((resolve) => {
      finish = () => resolve({ status: STATUS.ok })
    })
  const { socket, answers, send, bind } = await openWorld({ serve })
  const session = await bind()
  send('submit_sm', 2)
  const end = await until('the request', () => finish)
  const closing = session.close(seconds(5))
  send('submit_sm', 3)
  await until('the refusal', () =>
    answers.some(({ sequence, status }) => sequence === 3 && status === STATUS.systemError),
  )
  assert.ok(answers.every(({ id }) => id !== COMMANDS.unbind))
  end()
  const unbind = await until('the unbind', () => answers.find(({ id }) => id === COMMANDS.unbind))
  assert.ok(answers.some(({ sequence, status }) => sequence === 2 && status === 0))
  socket.write(toPdu(0x80000006, unbind.sequence, 0))
  await Promise.all([closing, once(socket, 'close')])
})

test('unbind is answered after what is under way, and what is submitted meanwhile goes elsewhere', async () => {
  const finish: (() => void)[] = []
  const serve = (): Promise<Reply> =>
    new Promise((resolve) => void finish.push(() => resolve({ status: STATUS.ok, body: Buffer.from('id\0') })))
  const { socket, answers, send, bind } = await openWorld({ serve })
  const session = await bind()
  for (const sequence of [2, 3]) send('submit_sm', sequence)
  send('unbind', 4)
  send('submit_sm', 5)
  await until('the refusal', () => answers.length === 2)
  // The listener closes at the same time: the answers still come first.
  const closing = session.close(seconds(5))
  assert.equal(finish.length, 2)
  for (const one of finish) one()
  await Promise.all([closing, once(socket, 'close')])
  assert.deepEqual(
    answers.slice(1).map(({ id, status, sequence }) => [id, status, sequence]),
    [
      [0x80000004, STATUS.systemError, 5],
      [0x80000004, STATUS.ok, 2],
      [0x80000004, STATUS.ok, 3],
      [0x80000006, STATUS.ok, 4],
    ],
  )
})

test('unbind waits only so long for what is under way', async () => {
  const { socket, answers, send, bind } = await openWorld({ serve: () => new Promise(() => undefined) })
  await bind()
  send('submit_sm', 2)
  send('unbind', 3)
  await once(socket, 'close', { signal: AbortSignal.timeout(seconds(10)) })
  assert.deepEqual(answers.slice(1), [{ id: 0x80000006, status: STATUS.ok, sequence: 3 }])
})

test('what nobody serves is nacked, and a second bind is refused', async () => {
  const { answers, send, bind } = await openWorld({ serve: () => undefined })
  await bind()
  send('deliver_sm', 2)
  send(0x7777, 3)
  send('bind_receiver', 4)
  await until('the answers', () => answers.length === 4)
  assert.deepEqual(
    answers.slice(1).map(({ id, status }) => [id, status]),
    [
      [COMMANDS.generic_nack, STATUS.invalidCommand],
      [COMMANDS.generic_nack, STATUS.invalidCommand],
      [0x80000001, STATUS.alreadyBound],
    ],
  )
})

test('a refused bind ends the connection', async () => {
  const { socket, answers, send } = await openWorld({ bind: () => ({ status: STATUS.wrongPassword }) })
  send('bind_receiver', 1)
  await once(socket, 'close')
  assert.deepEqual(answers, [{ id: 0x80000001, status: STATUS.wrongPassword, sequence: 1 }])
})

test('silence ends a session: before the bind at once, afterwards when enquire_link is not answered', async () => {
  const early = await openWorld()
  await until('the session', () => early.sessions.length === 1)
  early.sessions[0]?.check(performance.now() + TIMES.bind)
  await once(early.socket, 'close')

  const late = await openWorld()
  const session = await late.bind()
  session.check(performance.now() + TIMES.enquire)
  await until('the question', () => late.answers.some(({ id }) => id === COMMANDS.enquire_link))
  session.check(performance.now() + TIMES.enquire + TIMES.answer)
  await once(late.socket, 'close')
})
