/** Saves all entries that match the filters. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { download } from '../../api/download.ts'
import { AUDIT_LOG_TEXTS } from '../../texts/audit-log.ts'
import { Button } from '../../ui/parts.tsx'
import { showErrorToast } from '../../ui/toast.tsx'
import { AUDIT_LOG, type Filters } from './entry.ts'

const T = AUDIT_LOG_TEXTS
const FORMATS = ['csv', 'ndjson'] as const
type Format = (typeof FORMATS)[number]

/** The export itself is recorded too. */
export function ExportButtons({ filters }: Readonly<{ filters: Filters }>) {
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (format: Format) =>
      download(`/v1/audit/export?${new URLSearchParams({ ...filters, format })}`, `audit-log.${format}`),
    onError: showErrorToast,
    onSettled: () => queries.invalidateQueries({ queryKey: AUDIT_LOG }),
  })
  return FORMATS.map((format) => (
    <Button key={format} disabled={isPending} onClick={() => mutate(format)}>
      {T.exportAs[format]}
    </Button>
  ))
}
