/** Taking somebody out of the directory, once one has said yes. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, take } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { tell, tellError } from '../../ui/toast.tsx'
import { type Recipient, toWho } from './recipient.ts'

const T = TEXTS.recipients

type RemoveProps = Readonly<{ recipient: Recipient; onClose: () => void }>

export function RemoveRecipient({ recipient, onClose }: RemoveProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/v1/recipients/{id}', { params: { path: { id: recipient.id } } })),
    onSuccess: () => tell(T.removed(toWho(recipient))),
    onError: tellError,
    onSettled: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: ['recipients'] })
    },
  })
  return (
    <Confirm
      title={T.removeTitle(toWho(recipient))}
      action={TEXTS.common.remove}
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{T.removeAbout}</p>
    </Confirm>
  )
}
