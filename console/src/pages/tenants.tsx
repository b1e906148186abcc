/** The tenants of the installation; for operators. */
import '../styles/tenants.css'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { hasScope, useSession } from '../api/session.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { TENANTS_TEXTS } from '../texts/tenants.ts'
import { Listing, useListing } from '../ui/listing.tsx'
import { Button, Empty, PageHead } from '../ui/parts.tsx'
import { QuotaUsage } from './tenants/quota-usage.tsx'
import { SwitchTenant } from './tenants/switch-tenant.tsx'
import { TENANTS, type Tenant } from './tenants/tenant.ts'
import { TenantForm } from './tenants/tenant-form.tsx'
import { TenantTable } from './tenants/tenant-table.tsx'

const T = TENANTS_TEXTS

type OpenDialog = Readonly<{ kind: 'add' }> | Readonly<{ kind: 'change' | 'switch' | 'usage'; tenant: Tenant }>

export function Tenants() {
  return hasScope(useSession(), 'operator') ? (
    <TenantList />
  ) : (
    <PageHead title={PAGES_TEXTS.tenants} about={T.notAllowed} />
  )
}

function TenantList() {
  const [dialog, setDialog] = useState<OpenDialog>()
  const list = useListing([...TENANTS, 'list'], (from) => unwrap(api.GET('/v1/tenants', { params: { query: from } })))
  const close = (): void => setDialog(undefined)
  const add = (
    <Button kind="primary" onClick={() => setDialog({ kind: 'add' })}>
      {T.add}
    </Button>
  )
  return (
    <>
      <PageHead title={PAGES_TEXTS.tenants} about={T.about} actions={add} />
      <Listing of={list} empty={<Empty>{T.none}</Empty>}>
        {(tenants) => (
          <TenantTable
            tenants={tenants}
            onUsage={(tenant) => setDialog({ kind: 'usage', tenant })}
            onChange={(tenant) => setDialog({ kind: 'change', tenant })}
            onSwitch={(tenant) => setDialog({ kind: 'switch', tenant })}
          />
        )}
      </Listing>
      {dialog?.kind === 'add' && <TenantForm tenant={undefined} onClose={close} />}
      {dialog?.kind === 'change' && <TenantForm tenant={dialog.tenant} onClose={close} />}
      {dialog?.kind === 'switch' && <SwitchTenant tenant={dialog.tenant} onClose={close} />}
      {dialog?.kind === 'usage' && <QuotaUsage id={dialog.tenant.id} onClose={close} />}
    </>
  )
}
