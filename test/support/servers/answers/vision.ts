/** What the providers of vision answer, in the form of each, cut down to a few findings. */

const BOX = { Left: 0.25, Top: 0.5, Width: 0.125, Height: 0.25 }

export const REKOGNITION: Record<string, object> = {
  DetectLabels: {
    Labels: [
      {
        Name: 'Dog',
        Confidence: 98.765,
        Parents: [{ Name: 'Animal' }],
        Instances: [{ BoundingBox: BOX, Confidence: 97 }],
      },
      { Name: 'Grass', Confidence: 60 },
    ],
  },
  DetectFaces: {
    FaceDetails: [
      {
        BoundingBox: { Left: -0.1, Top: 0, Width: 0.2, Height: 0.2 },
        Confidence: 85,
      },
      {
        BoundingBox: BOX,
        Confidence: 99.9,
        Landmarks: [{ Type: 'eyeLeft', X: 0.3, Y: 0.6 }],
        Pose: { Roll: 1, Yaw: -2, Pitch: 3 },
        Quality: { Brightness: 80, Sharpness: 90 },
        Smile: { Value: true, Confidence: 91 },
        Emotions: [{ Type: 'HAPPY', Confidence: 88 }],
        AgeRange: { Low: 20, High: 30 },
        Gender: { Value: 'Female', Confidence: 97 },
      },
    ],
  },
  CompareFaces: {
    SourceImageFace: { BoundingBox: BOX, Confidence: 99 },
    FaceMatches: [
      { Similarity: 35, Face: { BoundingBox: { Left: 0.7, Top: 0.1, Width: 0.1, Height: 0.1 } } },
      { Similarity: 96.5, Face: { BoundingBox: BOX } },
    ],
  },
  RecognizeCelebrities: {
    CelebrityFaces: [
      {
        Name: 'Ada Lovelace',
        Id: 'abc',
        MatchConfidence: 95,
        Face: { BoundingBox: BOX },
        Urls: ['www.example.org/ada'],
      },
      { Name: 'Perhaps', Id: 'def', MatchConfidence: 51, Face: { BoundingBox: BOX } },
    ],
    UnrecognizedFaces: [{ BoundingBox: BOX }],
  },
  DetectProtectiveEquipment: {
    Persons: [
      {
        BoundingBox: BOX,
        Confidence: 99,
        BodyParts: [
          {
            Name: 'HEAD',
            EquipmentDetections: [
              { Type: 'HEAD_COVER', Confidence: 97, CoversBodyPart: { Value: true, Confidence: 99 } },
            ],
          },
          { Name: 'LEFT_HAND', EquipmentDetections: [] },
        ],
      },
    ],
  },
  DetectModerationLabels: {
    ModerationLabels: [
      { Name: 'Blood & Gore', ParentName: 'Graphic Violence', Confidence: 70 },
      { Name: 'Graphic Violence', ParentName: 'Violence', Confidence: 70 },
      { Name: 'Violence', ParentName: '', Confidence: 71 },
      { Name: 'Drinking', ParentName: 'Alcohol Use', Confidence: 99 },
      { Name: 'Alcohol Use', ParentName: 'Alcohol', Confidence: 99 },
      { Name: 'Alcohol', Confidence: 99 },
    ],
  },
}

export const GOOGLE: Record<string, object> = {
  'LABEL_DETECTION,OBJECT_LOCALIZATION': {
    labelAnnotations: [
      { mid: '/m/1', description: 'Dog', score: 0.96, topicality: 0.9 },
      { mid: '/m/2', description: 'Carnivore', score: 0.8 },
    ],
    localizedObjectAnnotations: [
      {
        name: 'Dog',
        score: 0.9,
        boundingPoly: { normalizedVertices: [{ y: 0.5 }, { x: 0.5, y: 0.5 }, { x: 0.5, y: 1 }, { y: 1 }] },
      },
    ],
  },
  FACE_DETECTION: {
    faceAnnotations: [
      {
        fdBoundingPoly: {
          vertices: [
            { x: 50, y: 25 },
            { x: 100, y: 25 },
            { x: 100, y: 50 },
            { x: 50, y: 50 },
          ],
        },
        landmarks: [{ type: 'LEFT_EYE', position: { x: 60, y: 30, z: -0.1 } }],
        rollAngle: 1.5,
        panAngle: 2,
        tiltAngle: -3,
        detectionConfidence: 0.99,
        joyLikelihood: 'VERY_LIKELY',
        headwearLikelihood: 'VERY_UNLIKELY',
        blurredLikelihood: 'VERY_UNLIKELY',
        underExposedLikelihood: 'VERY_UNLIKELY',
      },
    ],
  },
  SAFE_SEARCH_DETECTION: {
    safeSearchAnnotation: {
      adult: 'VERY_LIKELY',
      spoof: 'LIKELY',
      medical: 'UNLIKELY',
      violence: 'POSSIBLE',
      racy: 'LIKELY',
    },
  },
}

export const AZURE: Record<string, object> = {
  '/computervision/imageanalysis:analyze': {
    modelVersion: '2023-10-01',
    metadata: { width: 200, height: 100 },
    tagsResult: { values: [{ name: 'dog', confidence: 0.95 }] },
    objectsResult: {
      values: [{ boundingBox: { x: 20, y: 10, w: 100, h: 50 }, tags: [{ name: 'dog', confidence: 0.9 }] }],
    },
  },
  '/face/v1.0/detect': [
    {
      faceRectangle: { left: 50, top: 25, width: 100, height: 50 },
      faceLandmarks: { pupilLeft: { x: 60, y: 30 } },
      faceAttributes: {
        headPose: { roll: 1, yaw: 2, pitch: 0 },
        blur: { blurLevel: 'low', value: 0.1 },
        exposure: { exposureLevel: 'goodExposure', value: 0.6 },
        glasses: 'Sunglasses',
        occlusion: { foreheadOccluded: false, eyeOccluded: false, mouthOccluded: true },
        accessories: [{ type: 'headWear', confidence: 0.8 }],
      },
    },
  ],
  '/contentsafety/image:analyze': {
    categoriesAnalysis: [
      { category: 'Hate', severity: 0 },
      { category: 'SelfHarm', severity: 0 },
      { category: 'Sexual', severity: 4 },
      { category: 'Violence', severity: 2 },
    ],
  },
}
