"""Skeletons of real families, joint by joint: twists, fingers, faces and helpers beside what a person is made of.

A line is a joint below the one that is indented less; `=part` says which part it is. `*` is the side: a line that has
one stands, with all below it, for both sides.
"""

import re

import numpy as np
from skeletons import parts

from lactic import rotation

MIXAMO = """
mixamorig:Hips =hips
  mixamorig:Spine =spine
    mixamorig:Spine1
      mixamorig:Spine2 =chest
        mixamorig:Neck =neck
          mixamorig:Head =head
            mixamorig:HeadTop_End
        mixamorig:*Shoulder =collar
          mixamorig:*Arm =upper_arm
            mixamorig:*ForeArm =forearm
              mixamorig:*Hand =hand
                mixamorig:*HandThumb1
                  mixamorig:*HandThumb2
                mixamorig:*HandIndex1
                  mixamorig:*HandIndex2
  mixamorig:*UpLeg =thigh
    mixamorig:*Leg =shin
      mixamorig:*Foot =foot
        mixamorig:*ToeBase =toe
          mixamorig:*Toe_End
"""
UNREAL = """
pelvis =hips
  spine_01 =spine
    spine_02
      spine_03 =chest
        clavicle_* =collar
          upperarm_* =upper_arm
            lowerarm_* =forearm
              hand_* =hand
                index_01_*
                  index_02_*
                thumb_01_*
              lowerarm_twist_01_*
            upperarm_twist_01_*
        neck_01 =neck
          head =head
  thigh_* =thigh
    calf_* =shin
      calf_twist_01_*
      foot_* =foot
        ball_* =toe
    thigh_twist_01_*
"""
BIPED = """
Bip001 =hips
  Bip001_Footsteps
  Bip001_Pelvis
    Bip001_Spine =spine
      Bip001_Spine1 =chest
        Bip001_Neck =neck
          Bip001_Head =head
            Bip001_HeadNub
          Bip001_*_Clavicle =collar
            Bip001_*_UpperArm =upper_arm
              Bip001_*_Forearm =forearm
                Bip001_*_Hand =hand
                  Bip001_*_Finger0
                    Bip001_*_Finger01
    Bip001_*_Thigh =thigh
      Bip001_*_Calf =shin
        Bip001_*_Foot =foot
          Bip001_*_Toe0 =toe
            Bip001_*_Toe0Nub
"""
RIGIFY = """
DEF-spine =hips
  DEF-pelvis.*
  DEF-spine.001 =spine
    DEF-spine.002
      DEF-spine.003 =chest
        DEF-breast.*
        DEF-spine.004 =neck
          DEF-spine.005
            DEF-spine.006 =head
        DEF-shoulder.* =collar
          DEF-upper_arm.* =upper_arm
            DEF-upper_arm.*.001
              DEF-forearm.* =forearm
                DEF-forearm.*.001
                  DEF-hand.* =hand
                    DEF-palm.01.*
                    DEF-f_index.01.*
  DEF-thigh.* =thigh
    DEF-thigh.*.001
      DEF-shin.* =shin
        DEF-shin.*.001
          DEF-foot.* =foot
            DEF-toe.* =toe
"""
MVN = """
Pelvis =hips
  L5
    L3 =spine
      T12
        T8 =chest
          Neck =neck
            Head =head
          *Shoulder =collar
            *UpperArm =upper_arm
              *ForeArm =forearm
                *Hand =hand
  *UpperLeg =thigh
    *LowerLeg =shin
      *Foot =foot
        *Toe =toe
"""
STYLE100 = """
Hips =hips
  Chest =spine
    Chest2
      Chest3
        Chest4 =chest
          Neck =neck
            Head =head
          *Collar =collar
            *Shoulder =upper_arm
              *Elbow =forearm
                *Wrist =hand
  *Hip =thigh
    *Knee =shin
      *Ankle =foot
        *Toe =toe
"""
VRM = """
J_Bip_C_Hips =hips
  J_Bip_C_Spine =spine
    J_Bip_C_Chest
      J_Bip_C_UpperChest =chest
        J_Sec_*_Bust1
          J_Sec_*_Bust2
        J_Bip_C_Neck =neck
          J_Bip_C_Head =head
            J_Adj_*_FaceEye
            J_Sec_Hair1_01
              J_Sec_Hair2_01
        J_Bip_*_Shoulder =collar
          J_Bip_*_UpperArm =upper_arm
            J_Bip_*_LowerArm =forearm
              J_Bip_*_Hand =hand
                J_Bip_*_Index1
                  J_Bip_*_Index2
                J_Bip_*_Thumb1
  J_Sec_*_CoatSkirtBack1_01
  J_Bip_*_UpperLeg =thigh
    J_Bip_*_LowerLeg =shin
      J_Bip_*_Foot =foot
        J_Bip_*_ToeBase =toe
"""
SMPLX = """
pelvis =hips
  *_hip =thigh
    *_knee =shin
      *_ankle =foot
        *_foot =toe
  spine1 =spine
    spine2
      spine3 =chest
        neck =neck
          head =head
            jaw
            *_eye_smplhf
        *_collar =collar
          *_shoulder =upper_arm
            *_elbow =forearm
              *_wrist =hand
                *_index1
                  *_index2
                *_thumb1
"""
SMPL = """
Pelvis =hips
  *_Hip =thigh
    *_Knee =shin
      *_Ankle =foot
        *_Toe =toe
  Torso =spine
    Spine
      Chest =chest
        Neck =neck
          Head =head
        *_Thorax =collar
          *_Shoulder =upper_arm
            *_Elbow =forearm
              *_Wrist =hand
                *_Hand
"""
CMU = """
Hips =hips
  *HipJoint
    *UpLeg =thigh
      *Leg =shin
        *Foot =foot
          *ToeBase =toe
  LowerBack =spine
    Spine
      Spine1 =chest
        Neck =neck
          Neck1
            Head =head
        *Shoulder =collar
          *Arm =upper_arm
            *ForeArm =forearm
              *Hand =hand
                *FingerBase
                  *HandIndex1
                *Thumb
"""
BANDAI = """
Hips =hips
  Spine =spine
    Chest =chest
      Neck =neck
        Head =head
      Shoulder_* =collar
        UpperArm_* =upper_arm
          LowerArm_* =forearm
            Hand_* =hand
  UpperLeg_* =thigh
    LowerLeg_* =shin
      Foot_* =foot
        Toes_* =toe
"""
VICON = """
pelvis =hips
  thorax =spine
    clavicles =chest
      neck =neck
        head =head
      *clavicle =collar
        *humerus =upper_arm
          *radius =forearm
            *hand =hand
              *fingers
  *femur =thigh
    *tibia =shin
      *foot =foot
        *toes =toe
"""
GENESIS8 = """
hip =hips
  pelvis
    *ThighBend =thigh
      *ThighTwist
        *Shin =shin
          *Foot =foot
            *Metatarsals
              *Toe =toe
                *BigToe
                  *BigToe_2
                *SmallToe1
  abdomenLower =spine
    abdomenUpper
      chestLower
        *Pectoral
        chestUpper =chest
          *Collar =collar
            *ShldrBend =upper_arm
              *ShldrTwist
                *ForearmBend =forearm
                  *ForearmTwist
                    *Hand =hand
                      *Thumb1
                        *Thumb2
                      *Carpal1
                        *Index1
          neckLower =neck
            neckUpper
              head =head
                upperFaceRig
                *Eye
                lowerJaw
"""
GENESIS9 = """
hip =hips
  pelvis
    *_thigh =thigh
      *_thightwist1
      *_shin =shin
        *_foot =foot
          *_metatarsals
          *_toes =toe
            *_bigtoe1
  spine1 =spine
    spine2
      spine3
        spine4 =chest
          *_shoulder =collar
            *_upperarm =upper_arm
              *_upperarmtwist1
              *_forearm =forearm
                *_forearmtwist1
                *_hand =hand
                  *_thumb1
                  *_indexmetacarpal
                    *_index1
          neck1 =neck
            neck2
              head =head
                *_eye
"""
MAKEHUMAN = """
spine05 =hips
  pelvis.*
    upperleg01.* =thigh
      upperleg02.*
        lowerleg01.* =shin
          lowerleg02.*
            foot.* =foot
              toe1-1.* =toe
                toe1-2.*
              toe2-1.*
  spine04 =spine
    spine03
      breast.*
      spine02
        spine01 =chest
          clavicle.* =collar
            shoulder01.*
              upperarm01.* =upper_arm
                upperarm02.*
                  lowerarm01.* =forearm
                    lowerarm02.*
                      wrist.* =hand
                        finger1-1.*
                          finger1-2.*
                        metacarpal1.*
                          finger2-1.*
          neck01 =neck
            neck02
              neck03
                head =head
                  jaw
                  eye.*
"""
ICLONE = """
CC_Base_Hip =hips
  CC_Base_Pelvis
    CC_Base_*_Thigh =thigh
      CC_Base_*_ThighTwist01
        CC_Base_*_ThighTwist02
      CC_Base_*_Calf =shin
        CC_Base_*_CalfTwist01
        CC_Base_*_KneeShareBone
        CC_Base_*_Foot =foot
          CC_Base_*_ToeBaseShareBone
          CC_Base_*_ToeBase =toe
            CC_Base_*_BigToe1
  CC_Base_Waist =spine
    CC_Base_Spine01
      CC_Base_Spine02 =chest
        CC_Base_*_RibsTwist
          CC_Base_*_Breast
        CC_Base_NeckTwist01 =neck
          CC_Base_NeckTwist02
            CC_Base_Head =head
              CC_Base_FacialBone
                CC_Base_JawRoot
                  CC_Base_Tongue01
                CC_Base_*_Eye
        CC_Base_*_Clavicle =collar
          CC_Base_*_Upperarm =upper_arm
            CC_Base_*_UpperarmTwist01
            CC_Base_*_Forearm =forearm
              CC_Base_*_ForearmTwist01
              CC_Base_*_ElbowShareBone
              CC_Base_*_Hand =hand
                CC_Base_*_Thumb1
                CC_Base_*_Index1
"""
OPTITRACK = """
Skeleton_001_Hip =hips
  Skeleton_001_Ab =spine
    Skeleton_001_Chest =chest
      Skeleton_001_Neck =neck
        Skeleton_001_Head =head
      Skeleton_001_*Shoulder =collar
        Skeleton_001_*UArm =upper_arm
          Skeleton_001_*FArm =forearm
            Skeleton_001_*Hand =hand
  Skeleton_001_*Thigh =thigh
    Skeleton_001_*Shin =shin
      Skeleton_001_*Foot =foot
        Skeleton_001_*Toe =toe
"""
SECOND_LIFE = """
mPelvis =hips
  mTorso =spine
    mChest =chest
      mNeck =neck
        mHead =head
          mSkull
          mEye*
      mCollar* =collar
        mShoulder* =upper_arm
          mElbow* =forearm
            mWrist* =hand
  mHip* =thigh
    mKnee* =shin
      mAnkle* =foot
        mFoot* =toe
          mToe*
"""
AUTO_RIG = """
root.x =hips
  thigh_stretch.* =thigh
    thigh_twist.*
    leg_stretch.* =shin
      leg_twist.*
      foot.* =foot
        toes_01.* =toe
  spine_01.x =spine
    spine_02.x =chest
      neck.x =neck
        head.x =head
      shoulder.* =collar
        arm_stretch.* =upper_arm
          arm_twist.*
          forearm_stretch.* =forearm
            forearm_twist.*
            hand.* =hand
              c_index1.*
"""
MMD = """
センター =hips
  下半身
    *足 =thigh
      *ひざ =shin
        *足首 =foot
          *つま先 =toe
  上半身 =spine
    上半身2 =chest
      首 =neck
        頭 =head
      *肩 =collar
        *腕 =upper_arm
          *ひじ =forearm
            *手首 =hand
              *親指1
"""
MGEAR = """
spine_C0_pelvis_jnt =hips
  leg_*0_0_jnt =thigh
    leg_*0_1_jnt
      leg_*0_2_jnt =shin
        leg_*0_3_jnt
          leg_*0_end_jnt =foot
            foot_*0_0_jnt =toe
  spine_C0_01_jnt =spine
    spine_C0_02_jnt =chest
      shoulder_*0_shoulder_jnt =collar
        arm_*0_0_jnt =upper_arm
          arm_*0_1_jnt
            arm_*0_2_jnt =forearm
              arm_*0_3_jnt
                arm_*0_end_jnt =hand
                  finger_*0_0_jnt
      neck_C0_0_jnt =neck
        neck_C0_head_jnt =head
"""
WINGED = """
b00 =hips
  b01 =spine
    b02 =chest
      b03 =neck
        b04 =head
      u*1 =collar
        u*2 =upper_arm
          u*3 =forearm
            u*4 =hand
              s*1
                s*2
                  s*3
                    s*4
      w*1
        w*2
          w*3
            w*4
  k*1 =thigh
    k*2 =shin
      k*3 =foot
        k*4 =toe
  t0
    t1
      t2
        t3
"""
LONG = {"s": 0.25, "w": 0.25, "t": 0.25}
"""Metres of the bones of swords, wings and tails, by how their names begin."""
# the tree, and what its left and right are called
RIGS = {
    "mixamo": (MIXAMO, "Left Right"),
    "unreal": (UNREAL, "l r"),
    "biped": (BIPED, "L R"),
    "rigify": (RIGIFY, "L R"),
    "xsens_mvn": (MVN, "Left Right"),
    "100style": (STYLE100, "Left Right"),
    "vrm": (VRM, "L R"),
    "smplx": (SMPLX, "left right"),
    "smpl": (SMPL, "L R"),
    "cmu_like": (CMU, "Left Right"),
    "bandai": (BANDAI, "L R"),
    "vicon": (VICON, "l r"),
    "genesis8": (GENESIS8, "l r"),
    "genesis9": (GENESIS9, "l r"),
    "makehuman": (MAKEHUMAN, "L R"),
    "iclone": (ICLONE, "L R"),
    "optitrack": (OPTITRACK, "L R"),
    "second_life": (SECOND_LIFE, "Left Right"),
    "auto_rig_pro": (AUTO_RIG, "l r"),
    "mmd": (MMD, "左 右"),
    "mgear": (MGEAR, "L R"),
    "winged": (WINGED, "x y"),
}


def both_sides(text, marks):
    """Lines of a tree as (depth, name, part), sided branches once for each side."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = []

    def add(begin, end, side, mark):
        k = begin
        while k < end:
            depth = (len(lines[k]) - len(lines[k].lstrip())) // 2
            after = k + 1
            while after < end and len(lines[after]) - len(lines[after].lstrip()) > 2 * depth:
                after += 1
            if "*" in lines[k] and not side:
                for one, called in zip(("left", "right"), marks.split(), strict=True):
                    add(k, after, one, called)
                k = after
                continue
            name, _, part = lines[k].strip().partition(" =")
            found.append((depth, name.replace("*", mark), f"{side}_{part}" if side and part else part))
            k += 1

    add(0, len(lines), "", "")
    return found


def table_of(rig):
    """For `skeletons.bvh`: parts and other joints with the joint above and the offset from it, names, and the part
    that each joint moves with."""
    lines = both_sides(*RIGS[rig])
    place = {}
    for part, (above, at) in parts().items():
        place[part] = at + (place[above] if above else 0.0)
    keys = [part or f"extra{i}" for i, (_, _, part) in enumerate(lines)]
    above, open_at = [], []
    for i, (depth, _, _) in enumerate(lines):
        del open_at[depth:]
        above.append(open_at[-1] if open_at else -1)
        open_at.append(i)
    moves, table = {}, {}
    for i, key in enumerate(keys):
        parent = keys[above[i]] if above[i] >= 0 else ""
        moves[key] = key if lines[i][2] else moves[parent]
        if key not in place:  # in the middle of the bone that it is on, or a little off what it hangs on
            below = next((k for k in range(i + 1, len(keys)) if lines[k][2] and i in _above(above, k)), None)
            on_arm = re.search("hand|forearm|upper_arm", moves[parent])
            out = [0, 0.04 if place[parent][1] > 0 else -0.04, 0] if on_arm else [0.03, 0, 0.01]
            near = lines[below][2] if below is not None and (lines[below][0] - lines[i][0]) == 1 else None
            long = LONG.get(lines[i][1][0], 0.0) if rig == "winged" else 0.0
            out = rotation.normalize(np.array(out, dtype=float)) * long if long else np.array(out)
            place[key] = (place[parent] + place[near]) / 2 if near else place[parent] + out
        table[key] = (parent, place[key] - (place[parent] if parent else 0.0))
    return table, dict(zip(keys, (name for _, name, _ in lines), strict=True)), moves


def _above(above, k):
    found = []
    while above[k] >= 0:
        k = above[k]
        found.append(k)
    return found
