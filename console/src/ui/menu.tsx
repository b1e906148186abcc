/** A button that opens a menu of actions. A disabled action says why. */
import '../styles/select.css'
import '../styles/menu.css'
import { Ellipsis } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator, Text } from 'react-aria-components'

export type MenuAction = Readonly<{
  id: string
  name: string
  icon: React.ReactNode
  /** Why it is disabled. */
  reason?: string | undefined
  danger?: boolean
  act: () => void
}>

type ActionMenuProps = Readonly<{ label: string; actions: readonly MenuAction[] }>

/** Dangerous actions come last, after a line. */
export function ActionMenu({ label, actions }: ActionMenuProps) {
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<MenuAction>()
  // Once the menu is closed: a dialog that the action opens gives the focus back to what has it now.
  useEffect(() => {
    if (isOpen || chosen === undefined) return
    setChosen(undefined)
    opener.current?.focus()
    chosen.act()
  }, [isOpen, chosen])
  const toItem = (action: MenuAction) => <ActionItem key={action.id} {...action} act={() => setChosen(action)} />
  const harmless = actions.filter(({ danger }) => danger !== true)
  const dangerous = actions.filter(({ danger }) => danger === true)
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button ref={opener} className="button icon-only" aria-label={label}>
        <Ellipsis aria-hidden="true" />
      </Button>
      <Popover className="popover menu-popover" placement="bottom end" offset={4}>
        <Menu className="select-list" aria-label={label}>
          {harmless.map(toItem)}
          {dangerous.length > 0 && <Separator className="menu-line" />}
          {dangerous.map(toItem)}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

const ActionItem = ({ id, name, icon, reason, danger, act }: MenuAction) => (
  <MenuItem
    id={id}
    textValue={name}
    className={`menu-item ${danger === true ? 'danger' : ''}`}
    isDisabled={reason !== undefined}
    onAction={act}
  >
    {icon}
    <Text slot="label">{name}</Text>
    {reason !== undefined && <Text slot="description">{reason}</Text>}
  </MenuItem>
)
