/** The dialog that lists the keyboard shortcuts. */
import { Fragment } from 'react'
import { APP_TEXTS } from '../texts/app.ts'
import { COMMON_TEXTS } from '../texts/common.ts'
import { Dialog } from './dialog.tsx'
import { SHORTCUT } from './palette.ts'
import { Button } from './parts.tsx'

const T = APP_TEXTS

export const KeysHelp = ({ onClose }: Readonly<{ onClose: () => void }>) => (
  <Dialog title={T.keysTitle} onClose={onClose}>
    <dl className="facts">
      {[[SHORTCUT.shown, T.openPalette] as const, ...T.keys].map(([key, about]) => (
        <Fragment key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{about}</dd>
        </Fragment>
      ))}
    </dl>
    <div className="dialog-foot">
      <Button onClick={onClose}>{COMMON_TEXTS.close}</Button>
    </div>
  </Dialog>
)
