import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ChangedLine, changedLines } from '../../../console/src/pages/templates/changed-lines.ts'

const draw = (line: ChangedLine): string => {
  switch (line.kind) {
    case 'same':
      return `${line.before} ${line.after}   ${line.text}`
    case 'removed':
      return `${line.before}   - ${line.text}`
    case 'added':
      return `  ${line.after} + ${line.text}`
    case 'gap':
      return `… ${line.lines}`
  }
}

test('shows removed and added lines with their numbers, and three lines around them', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].join('\n')
  const after = ['a', 'b', 'c', 'd', 'e', 'F', 'g', 'h'].join('\n')
  assert.deepEqual(changedLines(before, after).map(draw), [
    '… 2',
    '3 3   c',
    '4 4   d',
    '5 5   e',
    '6   - f',
    '  6 + F',
    '7 7   g',
    '8 8   h',
  ])
})

test('what is left out and what is shown make up both texts', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = changedLines(before, after)
      const count = (kinds: readonly ChangedLine['kind'][]): number =>
        lines.reduce((sum, line) => sum + (line.kind === 'gap' ? line.lines : kinds.includes(line.kind) ? 1 : 0), 0)
      const sizeOf = (one: string): number => one.replace(/\n$/, '').split('\n').length
      const isEmpty = before === '' || after === ''
      if (!isEmpty) {
        assert.equal(count(['same', 'removed']), sizeOf(before))
        assert.equal(count(['same', 'added']), sizeOf(after))
      }
      for (const line of lines) {
        if (line.kind === 'removed' || line.kind === 'same')
          assert.equal(before.split('\n')[line.before - 1], line.text)
        if (line.kind === 'added' || line.kind === 'same') assert.equal(after.split('\n')[line.after - 1], line.text)
      }
    }),
  )
})
