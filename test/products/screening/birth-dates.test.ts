import { expect, test } from 'vitest'
import { findDateOrder, readBirthDates } from '../../../tasks/products/screening/own/birth-dates.ts'

const EXCHANGED = 'Dates whose day and month may be exchanged, of which only the year is compared'
const UNREAL = 'Dates that do not exist, of which only the year is compared'

test.each([
  ['18.04.1961', ['1961-04-18'], []],
  ['4.5.1961', ['1961-05-04'], []],
  ['18/04/1961', ['1961-04-18'], []],
  ['04/18/1961', ['1961-04-18'], []],
  ['04/05/1961', ['1961'], [EXCHANGED]],
  ['05/05/1961', ['1961-05-05'], []],
  ['1961-04-18', ['1961-04-18'], []],
  ['1961-04', ['1961-04'], []],
  ['1961-13-45', ['1961'], [UNREAL]],
  ['31.02.1961', ['1961'], [UNREAL]],
  ['1961', ['1961'], []],
  ['18 Apr 1961', ['1961-04-18'], []],
  ['unknown', [], []],
])('reads %s of an own list', (text, dates, notes) => {
  const noted: string[] = []
  expect([readBirthDates(text, what => noted.push(what)), noted]).toEqual([dates, notes])
})

test.each([
  [
    ['04/05/1961', '04/18/1961'],
    ['1961-04-05', '1961-04-18'],
  ],
  [
    ['04/05/1961', '18/04/1961'],
    ['1961-05-04', '1961-04-18'],
  ],
  [
    ['04/05/1961', '18/04/1961', '04/18/1961'],
    ['1961', '1961-04-18', '1961-04-18'],
  ],
  [
    ['04/05/1961', '18.04.1961', '99/98/1961'],
    ['1961', '1961-04-18', '1961'],
  ],
])('the other dates of a list tell the order: %s', (texts, dates) => {
  const order = findDateOrder(texts)
  expect(texts.flatMap(text => readBirthDates(text, () => undefined, order))).toEqual(dates)
})
