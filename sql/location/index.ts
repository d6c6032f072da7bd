export { askGazetteer } from './gazetteer.ts'
export { activatePlaces, beginPlaceLoad, type LoadedPlace, storePlaces } from './load.ts'
export {
  activateRoads,
  beginRoadLoad,
  type RoadProgress,
  readCurrentRoads,
  readRoadParts,
  storeRoadPart,
} from './road-data.ts'
