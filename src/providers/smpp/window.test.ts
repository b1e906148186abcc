import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SubmitFields } from './pdu.ts'
import { type Submission, Window } from './window.ts'

function watched(heard: string[], name: string): Submission {
  return {
    fields: {} as SubmitFields,
    answered: (answer) => heard.push(`${name} ${answer.kind === 'lost' ? 'lost' : answer.status}`),
    overdue: () => heard.push(`${name} overdue`),
  }
}

function filled(): { window: Window; heard: string[] } {
  const window = new Window()
  const heard: string[] = []
  for (const [place, name] of ['a', 'b', 'c'].entries()) window.add(place + 1, watched(heard, name), place * 10)
  return { window, heard }
}

const answer = (window: Window, sequence: number) => window.answer(sequence, { kind: 'answered', status: 0, name: 'x' })

test('an answer goes to whom it belongs, once', () => {
  const { window, heard } = filled()
  answer(window, 2)
  answer(window, 2)
  answer(window, 99)
  assert.deepEqual([heard, window.size], [['b 0'], 2])
})

test('what is overdue gives up its place, and is still answered', () => {
  const { window, heard } = filled()
  window.expire(10)
  assert.deepEqual([heard, window.size], [['a overdue', 'b overdue'], 1])
  window.expire(15)
  answer(window, 1)
  assert.deepEqual(heard, ['a overdue', 'b overdue', 'a 0'])
})

test('with the session all is lost that was not answered, also what was overdue', () => {
  const { window, heard } = filled()
  window.expire(0)
  answer(window, 2)
  window.loseAll()
  window.loseAll()
  assert.deepEqual([heard, window.size], [['a overdue', 'b 0', 'a lost', 'c lost'], 0])
})
