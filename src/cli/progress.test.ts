import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../lib/time.ts'
import { toProgress, toProgressAfterMigration } from './progress.ts'

function draw(
  isTerminal: boolean,
  work: (show: (done: number, total?: number) => void, tick: () => void) => void,
): string {
  const parts: string[] = []
  let now = 0
  const err = { write: (part: string) => void parts.push(part), isTerminal, hasColours: false }
  const progress = toProgress({ err, clock: () => instant(now) }, 'working')
  work(progress.show, () => {
    now += 1000
  })
  progress.end()
  return parts.join('').replaceAll('\r\u001b[K', '\n')
}

test('redraws the bar on a terminal, not too often, and always at the end', () => {
  const text = draw(true, (show, tick) => {
    show(0, 4)
    show(1, 4)
    tick()
    show(2, 4)
    show(4, 4)
  })
  const bar = (filled: number): string => '█'.repeat(filled) + '░'.repeat(30 - filled)
  assert.deepEqual(text.split('\n'), [
    '',
    `working ${bar(0)} 0 %  0/4  0 ms`,
    `working ${bar(15)} 50 %  2/4  1.0 s`,
    `working ${bar(30)} 100 %  4/4  1.0 s`,
    '',
  ])
})

test('shows a count when the total is not known', () =>
  assert.equal(
    draw(true, (show) => show(7)),
    '\nworking 7  0 ms\n',
  ))

test('writes nothing to a file', () =>
  assert.equal(
    draw(false, (show) => show(1, 1)),
    '',
  ))

function drawAfterMigration(work: (progress: ReturnType<typeof toProgressAfterMigration>) => void): readonly string[] {
  const parts: string[] = []
  let now = 0
  const err = { write: (part: string) => void parts.push(part), isTerminal: true, hasColours: false }
  const clock = () => {
    now += 1000
    return instant(now)
  }
  const progress = toProgressAfterMigration({ err, clock }, 'working')
  work(progress)
  progress.end()
  return parts.join('').split('\r\u001b[K')
}

test('gives a migration a line of its own, and starts the time of the work after it', () =>
  assert.deepEqual(
    drawAfterMigration(({ show, showMigration }) => {
      showMigration(7)
      show(8)
      show(9)
    }),
    ['', 'migrating 7  1.0 s\n', 'working 8  1.0 s', 'working 9  2.0 s\n'],
  ))

test('shows one line if there was nothing to migrate, or nothing was done after it', () => {
  assert.deepEqual(
    drawAfterMigration(({ show }) => show(8)),
    ['', 'working 8  1.0 s\n'],
  )
  assert.deepEqual(
    drawAfterMigration(({ showMigration }) => showMigration(7)),
    ['', 'migrating 7  1.0 s\n'],
  )
  assert.deepEqual(
    drawAfterMigration(() => undefined),
    [''],
  )
})
