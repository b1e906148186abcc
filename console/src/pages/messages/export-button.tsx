/** Opens the export of what matches the filters. */
import { Download } from 'lucide-react'
import { useState } from 'react'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import { onDemand } from '../../ui/on-demand.ts'
import { Button } from '../../ui/parts.tsx'
import type { Filters } from './filters.ts'

const DIALOG = onDemand(async () => (await import('./export-dialog.tsx')).ExportDialog)

export function ExportButton({ filters }: Readonly<{ filters: Filters }>) {
  const [isOpen, setOpen] = useState(false)
  const Dialog = DIALOG.useCode()
  const open = async (): Promise<void> => setOpen(await DIALOG.load())
  return (
    <>
      <Button onPointerEnter={DIALOG.prepare} onFocus={DIALOG.prepare} onClick={() => void open()}>
        <Download aria-hidden="true" />
        {MESSAGES_TEXTS.export.action}
      </Button>
      {isOpen && Dialog !== undefined && <Dialog filters={filters} onClose={() => setOpen(false)} />}
    </>
  )
}
