/** Chooses a file and reads it. */
import { useEffect, useRef, useState } from 'react'
import { toErrorText } from '../../api/client.ts'
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { FileField } from '../../ui/file-field.tsx'
import { Card } from '../../ui/parts.tsx'
import { type NamedFile, readFile } from './read-file.ts'

const T = BULK_TEXTS

export function FileCard({ onRead }: Readonly<{ onRead: (file: NamedFile | undefined) => void }>) {
  const [files, setFiles] = useState<readonly File[]>([])
  const [rows, setRows] = useState<number>()
  const [problem, setProblem] = useState<string>()
  const reading = useRef<AbortController>(undefined)
  useEffect(() => () => reading.current?.abort(), [])

  const choose = async (chosen: readonly File[]): Promise<void> => {
    reading.current?.abort()
    const started = new AbortController()
    reading.current = started
    const { signal } = started
    setFiles(chosen)
    setProblem(undefined)
    setRows(undefined)
    onRead(undefined)
    const [file] = chosen
    if (file === undefined) return
    try {
      const read = await readFile(file, setRows, signal)
      if (!signal.aborted) onRead({ ...read, name: file.name })
    } catch (error) {
      if (!signal.aborted) setProblem(toErrorText(error))
    } finally {
      if (!signal.aborted) setRows(undefined)
    }
  }
  return (
    <Card>
      <FileField
        label={T.file}
        files={files}
        accept={['.csv', '.tsv', '.txt', 'text/csv']}
        problem={problem}
        onChange={(chosen) => void choose(chosen)}
      />
      <p className="soft bulk-about" role="status">
        {rows === undefined ? T.fileAbout : T.reading(rows.toLocaleString())}
      </p>
    </Card>
  )
}
