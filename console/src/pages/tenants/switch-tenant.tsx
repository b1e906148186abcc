/** Confirms that a tenant is suspended or activated. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import { TENANTS_TEXTS } from '../../texts/tenants.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { showErrorToast, showToast } from '../../ui/toast.tsx'
import { TENANTS, type Tenant } from './tenant.ts'

const T = TENANTS_TEXTS

type SwitchProps = Readonly<{ tenant: Tenant; onClose: () => void }>

/** Closes on failure too: the dialog would cover the error toast. */
export function SwitchTenant({ tenant: { id, state }, onClose }: SwitchProps) {
  const queries = useQueryClient()
  const next = state === 'active' ? 'suspended' : 'active'
  const { mutate, isPending } = useMutation({
    mutationFn: () => unwrap(api.PATCH('/v1/tenants/{id}', { params: { path: { id } }, body: { state: next } })),
    onSuccess: () => showToast(T.switched[state](id)),
    onError: showErrorToast,
    onSettled: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: TENANTS })
    },
  })
  return (
    <Confirm
      title={T.switchTitle[state](id)}
      action={T.switch[state]}
      danger={state === 'active'}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{T.switchAbout[state]}</p>
    </Confirm>
  )
}
