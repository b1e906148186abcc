/** The table of tenants. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { TENANTS_TEXTS } from '../../texts/tenants.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { STATE_TONES, type Tenant } from './tenant.ts'

const T = TENANTS_TEXTS
const COLUMNS = Object.values(T.columns)
/** How many senders are named. */
const NAMED = 3

type Act = (tenant: Tenant) => void
type TableProps = Readonly<{ tenants: readonly Tenant[]; onUsage: Act; onChange: Act; onSwitch: Act }>

export const TenantTable = ({ tenants, ...acts }: TableProps) => (
  <Table className="tenants" columns={COLUMNS} actions={T.actions}>
    {tenants.map((tenant) => (
      <tr key={tenant.id}>
        <td className="row-title">
          <div>
            <strong>{tenant.id}</strong>
            {tenant.name !== null && <span className="soft">{tenant.name}</span>}
          </div>
        </td>
        <td data-label={T.columns.state}>
          <Badge tone={STATE_TONES[tenant.state]}>{T.states[tenant.state]}</Badge>
        </td>
        <td data-label={T.columns.providers}>{tenant.providers?.join(', ') ?? <Unset>{T.all}</Unset>}</td>
        <td data-label={T.columns.senders}>
          <Senders of={tenant.senders} />
        </td>
        <td data-label={T.columns.retention}>
          {tenant.retention_days === null ? <Unset>{T.default}</Unset> : T.days(tenant.retention_days)}
        </td>
        <td data-label={T.columns.locale}>{tenant.default_locale ?? <Unset>{T.default}</Unset>}</td>
        <RowActions>
          <Actions tenant={tenant} {...acts} />
        </RowActions>
      </tr>
    ))}
  </Table>
)

const Unset = ({ children }: Readonly<{ children: string }>) => <span className="soft">{children}</span>

function Senders({ of: senders }: Readonly<{ of: Tenant['senders'] }>) {
  if (senders === null) return <Unset>{COMMON_TEXTS.any}</Unset>
  if (senders.length === 0) return COMMON_TEXTS.none
  const rest = senders.length - NAMED
  return `${senders.slice(0, NAMED).join(', ')}${rest > 0 ? ` ${T.moreSenders(rest)}` : ''}`
}

type ActionsProps = Omit<TableProps, 'tenants'> & Readonly<{ tenant: Tenant }>

/** Tenants of the file can only be changed there. */
const Actions = ({ tenant, onUsage, onChange, onSwitch }: ActionsProps) => (
  <>
    {tenant.source === 'file' && <span className="tag">{T.ofFile}</span>}
    <Button aria-label={T.usageOf(tenant.id)} onClick={() => onUsage(tenant)}>
      {T.usage}
    </Button>
    {tenant.source === 'api' && (
      <>
        <Button aria-label={T.changeOne(tenant.id)} onClick={() => onChange(tenant)}>
          {COMMON_TEXTS.edit}
        </Button>
        <Button
          {...(tenant.state === 'active' ? { kind: 'danger' } : {})}
          aria-label={T.switchOne[tenant.state](tenant.id)}
          onClick={() => onSwitch(tenant)}
        >
          {T.switch[tenant.state]}
        </Button>
      </>
    )}
  </>
)
