/** Sending mail to an address again, once one has said yes. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, take } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { tell, tellError } from '../../ui/toast.tsx'
import type { Suppression } from './suppression.ts'

const T = TEXTS.suppressions

type RemoveProps = Readonly<{ suppression: Suppression; onClose: () => void }>

export function RemoveSuppression({ suppression: { address, reason }, onClose }: RemoveProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/v1/suppressions/{address}', { params: { path: { address } } })),
    onSuccess: () => tell(T.removed(address)),
    onError: tellError,
    onSettled: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: ['suppressions'] })
    },
  })
  return (
    <Confirm
      title={T.removeTitle}
      action={TEXTS.common.remove}
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          <code>{address}</code>
        </p>
        {reason === 'complaint' && <p className="note bad">{T.removeComplaint}</p>}
        <p>{T.removeAbout}</p>
      </div>
    </Confirm>
  )
}
