/** What changed between two texts, line by line, with a few unchanged lines around each change. */
import { diffLines } from 'diff'

export type ChangedLine = Readonly<
  | { kind: 'same'; text: string; before: number; after: number }
  | { kind: 'removed'; text: string; before: number }
  | { kind: 'added'; text: string; after: number }
  /** Unchanged lines that are left out. */
  | { kind: 'gap'; lines: number }
>

const CONTEXT = 3

export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const lines: ChangedLine[] = []
  let [old, now] = [0, 0]
  const changes = diffLines(before, after)
  for (const [index, { value, added, removed }] of changes.entries()) {
    for (const text of value.replace(/\n$/, '').split('\n')) {
      if (removed) lines.push({ kind: 'removed', text, before: ++old })
      else if (added) lines.push({ kind: 'added', text, after: ++now })
      else lines.push({ kind: 'same', text, before: ++old, after: ++now })
    }
    if (!added && !removed) foldUnchanged(lines, { isFirst: index === 0, isLast: index === changes.length - 1 })
  }
  return lines
}

/** Replaces what is far from any change in the run of unchanged lines at the end. */
function foldUnchanged(
  lines: ChangedLine[],
  { isFirst, isLast }: Readonly<{ isFirst: boolean; isLast: boolean }>,
): void {
  const start = lines.findLastIndex(({ kind }) => kind !== 'same') + 1
  const from = start + (isFirst ? 0 : CONTEXT)
  const to = lines.length - (isLast ? 0 : CONTEXT)
  // A gap of one line would not be shorter.
  if (to - from > 1) lines.splice(from, to - from, { kind: 'gap', lines: to - from })
}
