import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Unpack an archive from someone you do not know',
  lead: 'Archives can unpack to terabytes, or write outside of their folder. Both are refused, and you can look at the list before you take anything out.',
  keywords: 'unzip, zip, rar, 7z, tar, zip bomb, extract, archive',
  steps: [
    {
      call: 'archive.unzip',
      note: 'What is in it?',
      input: { file: 'sample:notes.zip', action: 'list' },
      as: 'list',
    },
    {
      call: 'archive.unzip',
      note: 'One file of it.',
      input: { file: 'sample:notes.zip', entries: ['notes/b.txt'] },
    },
  ],
  pitfalls: [
    'Refused are archives of more than 500 MiB, or of 200 times their size beyond 50 MiB, overlapping entries, links, and names that lead out of the folder.',
    'At most 100 files come out of one call. Name the `entries` you want of a larger archive.',
    '`skipUnsafe` leaves out bad entries with a warning instead of refusing the whole archive.',
    'The names of entries are those of the archive. Clean them before you use them as paths.',
  ],
})
