import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Folders } from '../../pools/folders.ts'
import { freshFolder } from '../support/machine/folder.ts'

/** The folder of a process as it was left: with the folder of a job, a program's temporary files and a note. */
function leaveFolder(workRoot: string, name: string, ageSeconds: number): string {
  const root = join(workRoot, name)
  mkdirSync(join(root, 'job-1', 'magick-abc'), { recursive: true })
  writeFileSync(join(root, 'job-1', 'magick-abc', 'pixels'), 'x')
  mkdirSync(join(root, '.notes'))
  writeFileSync(join(root, '.notes', 'scratch~a~b'), '')
  const then = Date.now() / 1000 - ageSeconds
  utimesSync(root, then, then)
  return root
}

test('the folders of dead processes are removed: the jobs at once, the notes when they have been read', async () => {
  await using temporary = await freshFolder()
  const workRoot = join(temporary.path, 'work')
  const folders = new Folders(workRoot)
  await folders.prepare()
  await folders.open('mine')
  // The same process id as ours, as the next process of a container has; it was another process, though.
  const dead = leaveFolder(workRoot, `${process.pid}-1-0`, 120)
  const other = leaveFolder(workRoot, '999999999-1-0', 0)
  const notes: string[] = []
  const sweep = () => folders.removeDead(async names => void notes.push(...names))

  await sweep()
  expect([await readdir(dead), notes]).toEqual([['.notes'], []])
  await sweep()
  expect([existsSync(dead), notes]).toEqual([false, ['scratch~a~b']])
  expect(await readdir(other), 'a process of another container that was heard of lately').toContain('job-1')
  expect(await readdir(folders.root)).toContain('mine')
})

test('notes that could not be handled stay for the next time', async () => {
  await using temporary = await freshFolder()
  const workRoot = join(temporary.path, 'work')
  const folders = new Folders(workRoot)
  await folders.prepare()
  const dead = leaveFolder(workRoot, '999999999-1-0', 120)
  const fail = () => folders.removeDead(() => Promise.reject(new Error('no database')))
  await fail()
  await expect(fail()).rejects.toThrow('no database')
  const notes: string[] = []
  await folders.removeDead(async names => void notes.push(...names))
  expect([existsSync(dead), notes]).toEqual([false, ['scratch~a~b']])
})
