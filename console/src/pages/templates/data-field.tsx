/**
 * Sample data for the preview. Missing values are filled in automatically until the user edits the data, then on
 * request.
 */
import { useEffect, useState } from 'react'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { Button } from '../../ui/parts.tsx'
import { CodeField } from './code-field.tsx'
import { type Data, guessData, type ParsedData, parseData, withSamples } from './sample-data.ts'
import type { Flaw } from './use-preview.ts'

const T = TEMPLATES_TEXTS

export type Sample = ParsedData & Readonly<{ text: string; isOwn: boolean }>

export function useSample(source: string): readonly [Sample, (text: string, isOwn: boolean) => void] {
  const [{ text, isOwn }, setSample] = useState(() => ({ text: toText(guessData(source)), isOwn: false }))
  return [{ text, isOwn, ...parseData(text) }, (next, own) => setSample({ text: next, isOwn: own })]
}

type DataFieldProps = Readonly<{
  sample: Sample
  flaws: readonly Flaw[]
  /** The template texts, which show what data is needed. */
  source: string
  onChange: (text: string, isOwn: boolean) => void
}>

export function DataField({ sample, flaws, source, onChange }: DataFieldProps) {
  const missing = flaws.filter(({ path }) => path.startsWith('/data/')).map(({ path }) => path)
  const filled = fill(sample.data, missing, source)
  const canFill = missing.length > 0 && filled !== sample.text
  useEffect(() => {
    if (canFill && !sample.isOwn) onChange(filled, false)
  })
  return (
    <div className="stack tight">
      <CodeField
        label={T.data}
        value={sample.text}
        isShort
        flaws={sample.problem === undefined ? [] : [sample.problem]}
        onChange={(text) => onChange(text, true)}
      />
      {canFill && sample.isOwn ? (
        <p className="row">
          <span className="meter-missing">
            {T.missing} <code>{missing.map(toName).join(', ')}</code>
          </span>
          <Button onClick={() => onChange(filled, true)}>{T.fillIn}</Button>
        </p>
      ) : (
        <p className="soft">{T.dataHint}</p>
      )}
    </div>
  )
}

const fill = (data: Data = {}, places: readonly string[], source: string): string =>
  toText(withSamples(data, places, source))

const toText = (data: Data): string => JSON.stringify(data, null, 2)

const toName = (path: string): string => path.split('/').slice(2).join('.')
