/** Rotates the secret of an endpoint. The previous one can stay valid for a while. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Secret } from './endpoint.ts'

const T = WEBHOOKS_TEXTS
const A_DAY = 86_400
const OVERLAPS = T.overlaps.map(([seconds]) => seconds)
const nameOfOverlap = (seconds: number): string => T.overlaps.find(([one]) => one === seconds)?.[1] ?? ''

type RotateProps = Readonly<{ id: string; onRotated: (secret: Secret) => void; onClose: () => void }>

export function RotateSecret({ id, onRotated, onClose }: RotateProps) {
  const [overlap, setOverlap] = useState<number>(A_DAY)
  const rotate = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/v1/endpoints/{id}/rotate', { params: { path: { id } }, body: { overlap_seconds: overlap } })),
    onSuccess: (secret) => {
      onClose()
      onRotated(secret)
      showToast(T.rotated)
    },
    gcTime: 0,
  })
  return (
    <FormDialog
      title={T.rotateTitle}
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
