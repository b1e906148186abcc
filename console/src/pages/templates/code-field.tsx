/**
 * A code editor with line numbers that highlights Liquid tags and faulty lines. The highlights are in a copy of the
 * text behind the textarea, which wraps identically and sets the height of both.
 */
import { memo, useId, useRef } from 'react'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { Button } from '../../ui/parts.tsx'

const T = TEMPLATES_TEXTS
const LIQUID = /(\{\{.*?\}\}|\{%.*?%\})/
const POSITION = /(?:^has an error at | \()line (\d+)(?:, column (\d+))?(?::|\))? ?/

type CodeFieldProps = Readonly<{
  label: string
  value: string
  flaws: readonly string[]
  readOnly?: boolean
  isShort?: boolean
  onChange: (text: string) => void
}>

export function CodeField({ label, value, flaws, readOnly = false, isShort = false, onChange }: CodeFieldProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = value.split('\n')
  const faulty = new Set(flaws.map((flaw) => toPosition(flaw).line))
  const goTo = (line: number): void => {
    const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
    area.current?.focus()
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={`code ${isShort ? 'short' : ''} ${flaws.length > 0 ? 'faulty' : ''}`}>
        <div className="code-copy" aria-hidden="true">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
            <Line key={index} text={line} isFaulty={faulty.has(index + 1)} />
          ))}
        </div>
        <textarea
          id={id}
          ref={area}
          rows={1}
          value={value}
          readOnly={readOnly}
          spellCheck={false}
          aria-invalid={flaws.length > 0}
          aria-describedby={flaws.length > 0 ? `${id}-flaws` : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      {flaws.length > 0 && <Flaws id={`${id}-flaws`} flaws={flaws} goTo={goTo} />}
    </div>
  )
}

const Line = memo(({ text, isFaulty }: Readonly<{ text: string; isFaulty: boolean }>) => (
  <div className={isFaulty ? 'code-line faulty' : 'code-line'}>
    {text.split(LIQUID).map((piece, index) =>
      // Every second piece is a match of LIQUID.
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place
      index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece,
    )}
    {'\u200b'}
  </div>
))

type FlawsProps = Readonly<{ id: string; flaws: readonly string[]; goTo: (line: number) => void }>

const Flaws = ({ id, flaws, goTo }: FlawsProps) => (
  <ul id={id} className="code-flaws">
    {flaws.map((flaw) => {
      const { line, words } = toPosition(flaw)
      return (
        <li key={flaw}>
          {line === undefined ? (
            words
          ) : (
            <Button kind="plain" onClick={() => goTo(line)}>
              {words}
            </Button>
          )}
        </li>
      )
    })}
  </ul>
)

/** Extracts the line from an API message, and puts it first in the text. */
function toPosition(flaw: string): Readonly<{ line?: number; words: string }> {
  const [said = '', line, column] = POSITION.exec(flaw) ?? []
  if (line === undefined) return { words: flaw }
  return { line: Number(line), words: `${T.lineOf(Number(line), column)} ${flaw.replace(said, '')}` }
}
