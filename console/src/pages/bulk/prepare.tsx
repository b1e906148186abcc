/** From a file to what can be sent: the file, its columns, and a check of every row. */
import { useState } from 'react'
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { Button, Card, Loading } from '../../ui/parts.tsx'
import { useChecked } from './check-rows.ts'
import { ConfirmBulk } from './confirm-bulk.tsx'
import { FileCard } from './file-card.tsx'
import { FormCard } from './form-card.tsx'
import { mappingProblems } from './mapping.ts'
import { MappingTable } from './mapping-table.tsx'
import type { NamedFile } from './read-file.ts'
import { BadRows, FirstRows, RowCounts } from './row-tables.tsx'
import type { Plan } from './rows.ts'
import { useDraft } from './use-draft.ts'

const T = BULK_TEXTS

export function Prepare() {
  const [file, setFile] = useState<NamedFile>()
  return (
    <div className="stack bulk">
      <FileCard onRead={setFile} />
      {file !== undefined && <Compose key={file.hash} file={file} />}
    </div>
  )
}

function Compose({ file }: Readonly<{ file: NamedFile }>) {
  const { draft, change, plan } = useDraft(file)
  const problems = mappingProblems(plan.mapping, plan.form)
  return (
    <>
      <FormCard draft={draft} form={plan.form} change={change} />
      <Card title={T.columns}>
        <p className="soft bulk-about">{T.columnsAbout}</p>
        <MappingTable file={file} plan={plan} onChange={(mapping) => change({ mapping })} />
        {problems.length > 0 && (
          <ul className="note warn bulk-problems">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
      </Card>
      {problems.length === 0 && <Rows file={file} plan={plan} name={draft.name} />}
    </>
  )
}

type RowsProps = Readonly<{ file: NamedFile; plan: Plan; name: string }>

function Rows({ file, plan, name }: RowsProps) {
  const [isAsking, setAsking] = useState(false)
  const checked = useChecked(file, plan)
  if (checked === undefined) return <Loading />
  const { ready, bad, duplicates } = checked
  const count = ready.length.toLocaleString()
  return (
    <>
      <RowCounts checked={checked} />
      <div className="row">
        <Button kind="primary" disabled={ready.length === 0} onClick={() => setAsking(true)}>
          {ready.length === 0 ? T.nothing : T.send(count)}
        </Button>
      </div>
      {ready.length > 0 && <FirstRows rows={ready} />}
      {(bad.length > 0 || duplicates.length > 0) && <BadRows bad={bad} duplicates={duplicates} />}
      {isAsking && (
        <ConfirmBulk file={file} plan={plan} checked={checked} name={name} onClose={() => setAsking(false)} />
      )}
    </>
  )
}
