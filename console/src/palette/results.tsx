/** The results of the palette in their groups, and the keys below. */
import { Header, ListBoxItem, ListBoxSection } from 'react-aria-components'
import { PALETTE_TEXTS } from '../texts/palette.ts'
import type { Entry, Group } from './entry.ts'

const T = PALETTE_TEXTS

export const ResultGroup = ({ group: { id, name, note, entries } }: Readonly<{ group: Group }>) => (
  <ListBoxSection id={id} className="palette-group">
    <Header className="palette-head">
      {name}
      {note !== undefined && <span className="palette-note">{note}</span>}
    </Header>
    {entries.map((entry) => (
      <Result key={entry.id} entry={entry} />
    ))}
  </ListBoxSection>
)

/** Its accessible name is all of its text. */
const Result = ({ entry: { id, name, icon, about } }: Readonly<{ entry: Entry }>) => (
  <ListBoxItem id={id} textValue={name} className="palette-item">
    {icon}
    <span className="palette-name">{name}</span>
    {about !== undefined && <span className="palette-about">{about}</span>}
  </ListBoxItem>
)

export const PaletteFoot = () => (
  <footer className="palette-foot">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> {T.keys.move}
    </span>
    <span>
      <kbd>Enter</kbd> {T.keys.open}
    </span>
    <span>
      <kbd>Esc</kbd> {T.keys.close}
    </span>
  </footer>
)
