/** Chooses a role, and says what it may do. */
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Field } from '../../ui/parts.tsx'
import { type Role, rolesFor } from './user.ts'

const T = TEXTS.users

type RoleProps = Readonly<{
  value: Role
  mayOperate: boolean
  disabled?: boolean
  problem?: string | undefined
  onChange: (role: Role) => void
}>

export const RoleField = ({ value, mayOperate, disabled = false, problem, onChange }: RoleProps) => (
  <Field label={T.fields.role} problem={problem}>
    <select value={value} disabled={disabled} onChange={(event) => onChange(event.target.value as Role)}>
      <Options of={rolesFor(mayOperate)} nameOf={(role) => T.roles[role]} />
    </select>
    <small>{disabled ? T.byProvider : T.roleAbout[value]}</small>
  </Field>
)
