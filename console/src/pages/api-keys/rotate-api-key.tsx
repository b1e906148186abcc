/** Replaces an API key by a new one. The previous one can stay valid for a while. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { API_KEYS_TEXTS } from '../../texts/api-keys.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { API_KEYS, type ApiKey, type Rotated } from './api-key.ts'

const T = API_KEYS_TEXTS
const A_DAY = 86_400
const OVERLAPS = T.overlaps.map(([seconds]) => seconds)
const nameOfOverlap = (seconds: number): string => T.overlaps.find(([one]) => one === seconds)?.[1] ?? ''

type RotateProps = Readonly<{ apiKey: ApiKey; onIssued: (rotated: Rotated) => void; onClose: () => void }>

export function RotateApiKey({ apiKey: { id, name }, onIssued, onClose }: RotateProps) {
  const [overlap, setOverlap] = useState<number>(A_DAY)
  const queries = useQueryClient()
  const rotate = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/v1/api-keys/{id}/rotate', { params: { path: { id } }, body: { overlap_seconds: overlap } })),
    onSuccess: async (rotated) => {
      onIssued(rotated)
      await queries.invalidateQueries({ queryKey: API_KEYS })
    },
    gcTime: 0,
  })
  return (
    <FormDialog
      title={T.rotateTitle(name)}
      action={T.rotateAction}
      error={rotate.error}
      busy={rotate.isPending}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <p>{T.rotateAbout}</p>
      <Select label={T.overlap} value={overlap} of={OVERLAPS} nameOf={nameOfOverlap} onChange={setOverlap} />
    </FormDialog>
  )
}
