/** Chooses files with a button, or by dropping them on the field. */
import '../styles/file-field.css'
import { FileUp, X } from 'lucide-react'
import { Button, DropZone, type FileDropItem, FileTrigger, Text } from 'react-aria-components'
import { COMMON_TEXTS } from '../texts/common.ts'
import { toSize } from './numbers.ts'

const T = COMMON_TEXTS.files

type FileFieldProps = Readonly<{
  label: string
  files: readonly File[]
  multiple?: boolean
  /** File extensions or media types, such as `.csv`. */
  accept?: readonly string[]
  problem?: string | undefined
  onChange: (files: readonly File[]) => void
}>

export function FileField({ label, files, multiple = false, accept, problem, onChange }: FileFieldProps) {
  const add = (added: readonly File[]): void => {
    if (added.length > 0) onChange(multiple ? [...files.filter(isOther(added)), ...added] : added.slice(0, 1))
  }
  return (
    <div className="field file-field">
      <span>{label}</span>
      <DropZone
        className="file-drop"
        aria-label={label}
        onDrop={async ({ items }) =>
          add(await Promise.all(items.filter((item): item is FileDropItem => item.kind === 'file').map(toFile)))
        }
      >
        <FileUp aria-hidden="true" />
        <Text slot="label">{multiple ? T.dropMany : T.drop}</Text>
        <FileTrigger
          allowsMultiple={multiple}
          {...(accept === undefined ? {} : { acceptedFileTypes: accept })}
          onSelect={(chosen) => add([...(chosen ?? [])])}
        >
          <Button className="button">{multiple ? T.chooseMany : T.choose}</Button>
        </FileTrigger>
      </DropZone>
      {files.length > 0 && (
        <ul className="file-list">
          {files.map((file) => (
            <li key={file.name}>
              <span className="file-name">{file.name}</span>
              <span className="soft nums">{toSize(file.size)}</span>
              <Button
                className="button plain icon-only"
                aria-label={T.remove(file.name)}
                onPress={() => onChange(files.filter(isOther([file])))}
              >
                <X aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && <span className="problem">{problem}</span>}
    </div>
  )
}

/** A file takes the place of an earlier one of the same name. */
const isOther =
  (added: readonly File[]) =>
  ({ name }: File): boolean =>
    added.every((file) => file.name !== name)

const toFile = (item: FileDropItem): Promise<File> => item.getFile()
