import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SubmitFields } from './pdu.ts'
import { type Submission, Window } from './window.ts'

function submission(calls: string[], name: string): Submission {
  return {
    fields: {} as SubmitFields,
    onAnswer: (answer) => calls.push(`${name} ${answer.kind === 'lost' ? 'lost' : answer.status}`),
    onOverdue: () => calls.push(`${name} overdue`),
  }
}

function filled(): { window: Window; calls: string[] } {
  const window = new Window()
  const calls: string[] = []
  for (const [index, name] of ['a', 'b', 'c'].entries()) window.add(index + 1, submission(calls, name), index * 10)
  return { window, calls }
}

const answer = (window: Window, sequence: number) =>
  window.answer(sequence, { kind: 'answered', status: 0, messageId: 'x' })

test('passes an answer to its submission once', () => {
  const { window, calls } = filled()
  answer(window, 2)
  answer(window, 2)
  answer(window, 99)
  assert.deepEqual([calls, window.size], [['b 0'], 2])
})

test('frees the slot of an overdue submission and still accepts its answer', () => {
  const { window, calls } = filled()
  window.expire(10)
  assert.deepEqual([calls, window.size], [['a overdue', 'b overdue'], 1])
  window.expire(15)
  answer(window, 1)
  assert.deepEqual(calls, ['a overdue', 'b overdue', 'a 0'])
})

test('loses unanswered and overdue submissions with the session', () => {
  const { window, calls } = filled()
  window.expire(0)
  answer(window, 2)
  window.loseAll()
  window.loseAll()
  assert.deepEqual([calls, window.size], [['a overdue', 'b 0', 'a lost', 'c lost'], 0])
})
